// What may be done, chosen in one stage or several: by buttons, or by clicking places in the pictures.
//
// A place is an element with data-place="name …": names of stages, or "action-7" for a choice. What a choice would
// change can be drawn in elements with data-ghost="action-7", shown while the choice is pointed at or focused.
"use strict";

const SECOND_THOUGHT = 400; // milliseconds between choices: a double click or a held key chooses only once
const LONG_LABEL = 12; // characters: longer labels get broader buttons

export class Choices {
  // `send` is called with the action that was chosen, `changed` when other buttons are shown.
  constructor(root, send, changed) {
    this.root = root;
    this.send = send;
    this.changed = changed;
    this.choices = [];
    this.path = []; // names of the stages chosen
    this.chosenAt = -Infinity;
    this.byKeyboard = false;
    this.previewed = "";
    this.touched = false; // whether the last click was a finger's
    document.addEventListener("pointerdown", (event) => { this.touched = event.pointerType === "touch"; });
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.preview(this.entryOf(event.target));
    });
    document.addEventListener("focusin", (event) => this.preview(this.entryOf(event.target)));
    document.addEventListener("click", (event) => {
      const place = event.target.closest("[data-place].open");
      if (place) this.pickPlace(place);
    });
  }

  offer(choices) {
    this.choices = choices;
    this.path = [];
    this.render();
  }

  // What can be chosen after these stages: stages by name, and choices by "action-…".
  entriesAfter(path) {
    const entries = new Map();
    for (const choice of this.choices) {
      if (!path.every((name, depth) => choice.stages[depth]?.name === name)) continue;
      const stage = choice.stages[path.length];
      const name = stage ? stage.name : `action-${choice.action}`;
      if (!entries.has(name)) entries.set(name, { ...(stage || choice), name, actions: [], isStage: Boolean(stage) });
      entries.get(name).actions.push(choice.action);
    }
    return entries;
  }

  // Choosing

  pick(entry) {
    if (performance.now() < this.chosenAt + SECOND_THOUGHT) return;
    this.chosenAt = performance.now();
    if (entry.isStage) {
      this.path.push(entry.name);
      this.render();
      return;
    }
    for (const each of this.root.querySelectorAll("button")) each.disabled = true;
    this.send(entry.actions[0]);
  }

  back() {
    this.path.pop();
    this.render();
  }

  // A place of the current stage, or of an earlier one, which is then chosen again. A finger cannot point at a place
  // without touching it: the first touch shows what the choice would change.
  pickPlace(place) {
    const [depth, entry] = this.placed(place);
    if (this.touched && !entry.isStage && this.previewed !== entry.name) return this.preview(entry);
    const again = this.path[depth] === entry.name;
    this.path = this.path.slice(0, depth);
    if (again) this.render();
    else this.pick(entry);
  }

  placed(place) {
    const names = place.dataset.place.split(" ");
    for (let depth = this.path.length; depth >= 0; depth--) {
      const entries = this.entriesAfter(this.path.slice(0, depth));
      const name = names.find((each) => entries.has(each));
      if (name) return [depth, entries.get(name)];
    }
    return [0, null];
  }

  // Showing

  render() {
    const groups = new Map();
    [...this.entriesAfter(this.path).values()].forEach((entry, number) => {
      if (!groups.has(entry.group)) groups.set(entry.group, []);
      groups.get(entry.group).push(this.button(entry, number));
    });
    const parts = [...groups].flatMap(([title, buttons]) => {
      const long = Math.max(...buttons.map((button) => button.textContent.length)) > LONG_LABEL;
      const group = make("div", `group${buttons.length <= 4 ? " wide" : long ? " broad" : ""}`);
      group.append(...buttons);
      return title ? [make("p", "group-title", title), group] : [group];
    });
    this.root.replaceChildren(...(this.path.length ? [this.chosenSoFar()] : []), ...parts);
    this.root.inert = true;
    setTimeout(() => this.release(), this.chosenAt + SECOND_THOUGHT - performance.now());
    this.markPlaces();
    this.changed();
  }

  release() {
    this.root.inert = false;
    const focus = document.activeElement;
    const button = this.root.querySelector(".choice");
    if (this.byKeyboard && button && (focus === document.body || focus === null)) button.focus();
  }

  chosenSoFar() {
    const line = make("p", "chosen");
    const back = make("button", "back", "‹ Back");
    back.type = "button";
    back.setAttribute("aria-keyshortcuts", "Escape");
    back.addEventListener("click", () => this.back());
    line.append(back);
    this.path.forEach((name, depth) => {
      line.append(make("span", "", this.entriesAfter(this.path.slice(0, depth)).get(name).words));
    });
    return line;
  }

  button(entry, number) {
    const button = make("button", "choice");
    button.type = "button";
    button.dataset.entry = entry.name;
    if (!entry.isStage) button.dataset.action = entry.actions[0];
    button.title = entry.words;
    if (number < 10) button.append(make("kbd", "", (number + 1) % 10));
    button.insertAdjacentHTML("beforeend", entry.picture);
    button.append(make("span", "label", entry.label || (entry.picture ? "" : entry.words)));
    button.addEventListener("click", () => this.pick(entry));
    return button;
  }

  // Marks the places that can be clicked now; to be called whenever the pictures are new.
  markPlaces() {
    for (const place of document.querySelectorAll("[data-place]")) {
      const [depth, entry] = this.placed(place);
      place.classList.toggle("open", entry !== null);
      place.classList.toggle("chosen", entry !== null && this.path[depth] === entry.name);
    }
    this.preview(null);
  }

  entryOf(target) {
    const place = target.closest?.("[data-place].open");
    if (place) return this.placed(place)[1];
    const button = target.closest?.("[data-entry]");
    return button ? this.entriesAfter(this.path).get(button.dataset.entry) : null;
  }

  preview(entry) {
    this.previewed = entry && !entry.isStage ? entry.name : "";
    for (const ghost of document.querySelectorAll("[data-ghost]")) {
      ghost.classList.toggle("shown", ghost.dataset.ghost === this.previewed);
    }
    for (const button of this.root.querySelectorAll(".choice")) {
      button.classList.toggle("pointed", button.dataset.entry === entry?.name);
    }
  }

  // A hint: how likely an agent would choose each action; that of a stage is the sum of its choices.
  showLikely(likely) {
    const buttons = [...this.root.querySelectorAll(".choice")];
    const entries = this.entriesAfter(this.path);
    const chances = buttons.map(({ dataset }) => likely && sum(entries.get(dataset.entry).actions.map((each) => likely[each])));
    buttons.forEach((button, number) => {
      for (const old of button.querySelectorAll(".likely, .percent")) old.remove();
      const chance = chances[number];
      button.setAttribute("aria-label", button.title + (likely ? ` ${percent(chance)}` : ""));
      button.classList.toggle("best", Boolean(likely) && chance === Math.max(...chances));
      if (!likely) return;
      const bar = make("progress", "likely");
      bar.max = 1;
      bar.value = chance;
      bar.setAttribute("aria-label", "probability");
      button.append(make("span", "percent", percent(chance)), bar);
    });
  }

  // Keys: digits and arrows select a button, Escape goes a stage back.
  press(key) {
    const buttons = [...this.root.querySelectorAll(".choice")];
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    if (key >= "0" && key <= "9" && key.length === 1) {
      buttons[(Number(key) + 9) % 10]?.focus();
    } else if (key in steps && buttons.length) {
      const at = buttons.indexOf(document.activeElement);
      buttons[(Math.max(at, steps[key] > 0 ? -1 : 0) + steps[key] + buttons.length) % buttons.length].focus();
    } else if (key === "Escape" && this.path.length) this.back();
    else return false;
    return true;
  }
}

export function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function percent(chance) {
  return chance > 0 && chance < 0.005 ? "<1 %" : `${Math.round(100 * chance)} %`;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

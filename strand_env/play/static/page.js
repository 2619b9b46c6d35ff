// The page of any game: shows positions as the server draws them, offers the legal choices, and sends what was chosen.
import { Choices, make, percent } from "./choices.js";

const WATCHING_PACE = 1600; // milliseconds per step while watching a game
const REVEAL_PACE = 1300; // while playing: after a reveal, unless it says how long it takes
const STEP_PACE = 650; // and after other steps of the opponents
const SOON = 120; // milliseconds between polls while somebody is thinking
const LATER = 1500; // and otherwise
const SLIDER_KEYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);

const element = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
const still = matchMedia("(prefers-reduced-motion: reduce)");

let state = null; // the latest from the server
let frames = new Map(); // positions by step
let shown = -1; // the step on display
let rendered = ""; // the position on display
let offered = ""; // the position whose choices are on display
let opened = ""; // the reveal on display
let playing = null; // the timer while a game plays by itself
let looking = null; // the timer of the next poll
let catching = null; // identifies the run that shows the opponents' steps one by one

// Talking to the server

async function ask(path, order) {
  const options = order && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(order),
  };
  const response = await fetch(path, options);
  if (response.status === 204) return null;
  const answer = await response.json();
  if (!response.ok) throw new Refusal(answer.error);
  return answer;
}

class Refusal extends Error {}

async function send(path, order = {}) {
  try {
    const answer = await ask(path, { token: state.token, ...order });
    element.trouble.hidden = true;
    await take(answer);
  } catch (error) {
    complain(error);
    await look();
  }
  lookSoon();
}

function complain(error) {
  if (!(error instanceof Refusal || error instanceof TypeError)) throw error;
  element.trouble.hidden = false;
  element.trouble.textContent = error instanceof Refusal
    ? sentence(error.message)
    : "The server does not respond. If it has stopped, start it again and this page will continue.";
}

function sentence(words) {
  return words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
}

async function look() {
  const known = state ? `?known=${encodeURIComponent(`${state.token}/${state.version}`)}` : "";
  try {
    const answer = await ask(`state${known}`);
    if (element.trouble.textContent.startsWith("The server")) element.trouble.hidden = true;
    if (answer) await take(answer);
  } catch (error) {
    complain(error);
  }
}

async function keepLooking() {
  try {
    await look();
  } finally {
    lookSoon();
  }
}

function lookSoon() {
  clearTimeout(looking);
  const busy = state && (state.thinking.length || (state.hint && !state.hint.likely && !state.hint.failure));
  looking = setTimeout(keepLooking, busy ? SOON : LATER);
}

async function take(answer) {
  if (state && session(answer) !== session(state)) return location.reload();
  if (state && answer.version < state.version) return; // an older answer that arrived late
  const first = state === null;
  if (first || answer.course !== state.course) {
    frames = new Map();
    shown = first && answer.seat === null ? 0 : answer.steps;
  }
  const atEnd = first || shown >= state.steps || catching !== null;
  state = answer;
  frames.set(answer.steps, answer.frame);
  if (state.seat === null) {
    await show(shown);
    if (first && !still.matches) play();
  } else if (atEnd) {
    await catchUp();
  } else {
    renderTools();
  }
}

function session(answer) {
  return answer.token.replace(/-[^-]*$/, "");
}

// Moving through the steps

async function frameAt(number) {
  const course = state.course;
  if (!frames.has(number)) {
    const frame = await ask(`frames/${number}`).catch(() => null);
    if (frame === null || course !== state.course) return null; // an undo or a new game came in between
    frames.set(number, frame);
  }
  return frames.get(number);
}

async function show(number, fresh = false, wanted = () => true) {
  const frame = await frameAt(Math.max(0, Math.min(state.steps, number)));
  if (frame === null || !wanted()) return null;
  const since = fresh && shown < frame.number ? Math.max(shown, 0) : frame.number - 1;
  shown = frame.number;
  const name = `${state.course}/${shown}`;
  if (name === rendered) {
    renderTurn(); // same position, but somebody may have decided
  } else {
    rendered = name;
    render(frame, fresh, since);
  }
  return frame;
}

// While playing: shows the opponents' steps one by one, unless the player moves the slider in the meantime.
async function catchUp() {
  if (catching !== null) return;
  const here = (catching = {});
  const wanted = () => catching === here;
  try {
    while (wanted() && shown < state.steps) {
      const before = frames.get(shown);
      const frame = await show(still.matches ? state.steps : shown + 1, true, wanted);
      if (frame === null) break;
      const opens = before && frame.revealed && before.revealed !== frame.revealed;
      if (!still.matches && (opens || shown < state.steps)) await pause(opens ? revealPace() : STEP_PACE);
    }
  } finally {
    if (wanted()) {
      catching = null;
      await show(shown);
    }
  }
}

function revealPace() {
  return Number(element.revealed.querySelector("[data-moment]")?.dataset.moment) || REVEAL_PACE;
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function goTo(number) {
  stop();
  catching = null;
  await show(number).catch(complain);
}

function play() {
  if (shown >= state.steps && state.over) shown = -1;
  playing = setInterval(async () => {
    if (shown >= state.steps) {
      if (state.over || !state.live) stop();
      return;
    }
    await show(shown + 1, true).catch(complain);
  }, WATCHING_PACE);
  renderTools();
}

function stop() {
  clearInterval(playing);
  playing = null;
  renderTools();
}

// Rendering

function render(frame, fresh, since) {
  element.heading.textContent = frame.heading;
  document.title = `${frame.heading} · strand_env`;
  element.board.innerHTML = frame.board;
  renderPlayers(frame);
  renderStory(frame, fresh, since);
  element.end.hidden = !frame.result;
  element.end.innerHTML = frame.result && `<h2></h2>${frame.result}`;
  if (frame.result) element.end.querySelector("h2").textContent = frame.task;
  for (const each of element.end.querySelectorAll("[data-player]")) each.textContent = nameOf(Number(each.dataset.player));
  renderTurn();
}

function nameOf(seat) {
  return seat === state.seat ? "you" : state.names[seat];
}

function renderPlayers(frame) {
  element.players.replaceChildren(...frame.players.map((html, seat) => {
    const mine = seat === state.seat;
    const player = make("article", `player seat-${seat}${mine ? " me" : ""}${frame.asked.includes(seat) ? " asked" : ""}`);
    const title = make("h3");
    title.append(make("span", "badge", seat), ` Player ${seat} `, make("small", "", nameOf(seat)));
    player.append(title);
    player.insertAdjacentHTML("beforeend", html);
    return player;
  }));
}

function renderStory(frame, fresh, since) {
  element.happened.hidden = !frame.story.length;
  element.happened.classList.remove("fresh");
  element.revealed.hidden = !frame.revealed;
  if (opened !== frame.revealed) {
    opened = frame.revealed;
    element.revealed.classList.remove("fresh");
    element.revealed.innerHTML = frame.revealed;
    void element.revealed.offsetWidth; // restarts the animation
    element.revealed.classList.toggle("fresh", fresh);
  }
  const rounds = new Map();
  for (const { step, round, sentences } of frame.story) {
    if (!rounds.has(round)) rounds.set(round, make("ul"));
    for (const words of sentences) {
      rounds.get(round).append(make("li", step > since ? "new" : "old", words));
    }
  }
  element.story.replaceChildren(...[...rounds].reverse().map(([round, list], age) => {
    const part = make("details");
    part.open = age === 0;
    part.append(make("summary", "", round === null ? "So far" : partName(round)), list);
    return part;
  }));
  const latest = element.story.querySelector("li.new:last-of-type");
  if (latest) element.story.scrollTop = latest.offsetTop + latest.offsetHeight - element.story.clientHeight;
  if (fresh) {
    void element.happened.offsetWidth;
    element.happened.classList.add("fresh");
    const news = frame.story.filter(({ step }) => step > since).flatMap(({ sentences }) => sentences);
    element.told.textContent = [...new Set([...news, frame.task])].join(" ");
  }
}

// Rounds are numbered; shorter parts of a game have names.
function partName(round) {
  return typeof round === "number" ? `Round ${round}` : round;
}

function renderTurn() {
  const frame = frames.get(shown);
  const now = shown === state.steps;
  const mine = now && state.choices.length > 0 && catching === null;
  const decided = now && state.decided;
  element.task.textContent = lookingBack() ? `Looking back at step ${shown}.` : decided || frame.task;
  element.turn.hidden = Boolean(frame.result);
  element.waiting.hidden = !now || mine || state.over || Boolean(state.failure) || catching !== null;
  element.waiting.textContent = waitingFor();
  if (decided) element.players.querySelector(".me").classList.remove("asked");
  const wanted = mine ? state.token : "";
  if (offered !== wanted) {
    offered = wanted;
    choices.offer(mine ? state.choices : []);
  } else {
    choices.markPlaces(); // the pictures may be new
  }
  element.hinting.hidden = !mine || !state.hints.length;
  renderHint(mine);
  renderTools();
  if (state.failure) {
    element.trouble.hidden = false;
    element.trouble.textContent = sentence(state.failure);
  }
}

function lookingBack() {
  return state.seat !== null && shown < state.steps && catching === null;
}

function waitingFor() {
  const thinking = state.thinking.map((seat) => `Player ${seat} (${state.names[seat]})`);
  const [first, ...others] = thinking;
  return first ? `${first}${others.length ? ` and ${others.length} more are` : " is"} thinking` : "";
}

const choices = new Choices(
  element.choices,
  (action) => {
    const token = state.token;
    send("choose", { action }).then(() => {
      if (state.token === token && state.choices.length) offerAgain();
    });
  },
  () => renderHint(true),
);

// After a refused choice the others are offered again.
function offerAgain() {
  offered = "";
  renderTurn();
}

function renderHint(mine) {
  const hint = mine ? state.hint : null;
  const likely = hint && hint.likely;
  choices.showLikely(likely);
  if (!hint) element.advice.textContent = "";
  else if (hint.failure) element.advice.textContent = sentence(hint.failure);
  else if (!likely) element.advice.textContent = `${hint.agent} is thinking …`;
  else {
    const order = state.choices.filter(({ action }) => likely[action] >= 0.005)
      .sort((one, other) => likely[other.action] - likely[one.action]).slice(0, 3);
    const told = order.map(({ action, words }) => `${words.replace(/\.$/, "")} (${percent(likely[action])})`);
    element.advice.textContent = `${hint.agent} would: ${told.join("; ")}.`;
  }
}

function renderTools() {
  const own = state.seat !== null;
  element.undo.hidden = !own;
  element.undo.disabled = state.steps === 0 && !state.decided;
  element.again.hidden = !own;
  element.new.hidden = !state.live;
  element.save.hidden = !state.live;
  const savable = state.live && state.over;
  element.save.setAttribute("aria-disabled", String(!savable));
  element.save.title = savable ? "" : "Available when the game is over: a replay shows everything hidden.";
  element.play.hidden = own;
  element.play.textContent = playing === null ? "Play" : "Pause";
  element.latest.hidden = !lookingBack();
  element.steps.hidden = state.steps === 0 && own;
  element.slider.max = state.steps;
  element.slider.value = shown;
  element.slider.setAttribute("aria-valuetext", `Step ${shown} of ${state.steps}`);
  element.back.disabled = shown <= 0;
  element.forward.disabled = shown >= state.steps;
  element.count.textContent = `${shown} / ${state.steps}`;
  element.keys.textContent = own
    ? "Digits or arrow keys: select a choice. Enter: confirm. Esc: back. H: hint. U: undo."
    : "Space: play or pause. Arrow keys, Home, End: move between steps.";
  if (element.adviser.options.length !== state.hints.length) {
    element.adviser.replaceChildren(...state.hints.map((name) => make("option", "", name)));
  }
}

// Input

element.undo.addEventListener("click", () => send("undo"));
element.again.addEventListener("click", () => leave({ same_deal: true }));
element.new.addEventListener("click", () => leave({ same_deal: false }));
element.save.addEventListener("click", (event) => {
  if (element.save.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    complain(new Refusal(element.save.title));
  }
});

function leave(order) {
  const running = state.seat !== null && state.steps > 0 && !state.over;
  if (!running || confirm("This game is not over, and you cannot return to it. Leave it?")) send("new", order);
}

element.hint.addEventListener("click", () => send("hint", { agent: element.adviser.value }));
element.play.addEventListener("click", () => (playing === null ? play() : stop()));
element.slider.addEventListener("input", () => goTo(Number(element.slider.value)));
element.back.addEventListener("click", () => goTo(shown - 1));
element.forward.addEventListener("click", () => goTo(shown + 1));
element.latest.addEventListener("click", () => goTo(state.steps));

document.addEventListener("pointerdown", () => { choices.byKeyboard = false; });
document.addEventListener("keydown", (event) => {
  choices.byKeyboard = true;
  if (state === null || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.matches("select") || (event.target.matches("input") && SLIDER_KEYS.has(event.key))) return;
  if (event.repeat && event.target.matches(".choice") && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    return;
  }
  const keys = state.seat === null ? watchingKeys : playingKeys;
  if (keys(event)) event.preventDefault();
});

function watchingKeys({ key, target }) {
  const goals = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: state.steps };
  if (key in goals) goTo(goals[key]);
  else if (key === " " && !target.matches("button, a")) element.play.click();
  else return false;
  return true;
}

function playingKeys(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (choices.press(key)) return true;
  if (key === "h" && !element.hinting.hidden) element.hint.click();
  else if (key === "u" && !element.undo.disabled) element.undo.click();
  else return false;
  return true;
}

fetch("game.svg").then((response) => response.text()).then((symbols) => { element.symbols.innerHTML = symbols; });
keepLooking();

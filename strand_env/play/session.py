"""A game in progress: a person against agents, or agents alone. Agents think in threads of their own."""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from strand_env.agents import AnyAgent, Memory, action_probabilities, ask
from strand_env.agents.naming import blaming
from strand_env.engine.checks import is_whole, printable, reason, shown
from strand_env.engine.game import Game
from strand_env.engine.protocol import EVERYTHING, Batch, Observer
from strand_env.engine.randomness import Streams, fresh_seed
from strand_env.play.plain import play_views
from strand_env.replays.replay import Position, Replay

LONGEST_NAME = 60  # characters


class Refused(ValueError):
    """An order that cannot be carried out now. Nothing was changed."""


@dataclass(frozen=True)
class Hint:
    """What an agent would do in the person's place."""

    agent: str
    likely: Mapping[int, float] | None = None  # probabilities by action; None until they are known
    failure: str = ""  # why they never will be


@dataclass(frozen=True)
class Now:
    """The session at one moment; it does not change as the game goes on."""

    version: int  # counts every change
    token: str  # names the position; orders quote it, so that they never hit another one
    course: int  # counts the times that earlier steps were replaced: by an undo or a new game
    positions: Sequence[Position]  # with all that is hidden: show them through `game.views` alone
    legal: Sequence[int] = ()  # the person's legal actions; empty unless the person has to act
    chosen: int | None = None  # the person's action, while others are still deciding
    thinking: Sequence[int] = ()  # the agents still deciding, as far as the observer may know
    hint: Hint | None = None
    failure: str = ""  # of an agent, which halts the game
    over: bool = False

    @property
    def snapshot(self) -> dict[str, Any]:
        return self.positions[-1].snapshot


class Recording:
    """A recorded game to watch, as `observer` may see it."""

    seat = None
    hints: Mapping[str, AnyAgent] = {}

    def __init__(self, replay: Replay, observer: Observer = EVERYTHING) -> None:
        self.game = replay.game
        self.observer = observer
        self.names = [""] * replay.players
        self._now = Now(0, secrets.token_hex(4), 0, list(replay.positions(observer)), over=replay.scores is not None)

    def now(self) -> Now:
        return self._now


class Session:
    """A game of a batch of one, with an agent in each seat; None is the person, if there is one.

    All randomness follows from the deal, the step and the seat: the same choices lead to the same game, after an undo
    and in a new game with the same deal. Other new games have fresh seeds, since the replay of a finished game shows
    its own; in a `seeded` session each seed follows from the one before. `hints` are the agents the person may ask.
    `observer` is whose eyes the game is shown through: the person's, or those of somebody who sees everything if only
    agents play. Sessions are thread-safe.
    """

    def __init__(
        self,
        game: Game,
        batch: Batch,
        agents: Sequence[AnyAgent | None],
        names: Sequence[str],
        hints: Mapping[str, AnyAgent] | None = None,
        name: str | None = None,
        seeded: bool = False,
    ) -> None:
        if len(agents) != batch.num_players or len(names) != batch.num_players:
            raise ValueError(f"agents: expected {batch.num_players}, one for each seat, got {len(agents)}")
        people = [seat for seat, agent in enumerate(agents) if agent is None]
        if len(people) > 1:
            raise ValueError(f"agents: expected one for each seat but the person's, got none for {people}")
        self.game = game
        self.names = [printable(name, LONGEST_NAME) for name in names]
        self.seat = people[0] if people else None
        self.observer: Observer = EVERYTHING if self.seat is None else self.seat  # agents have nobody to hide from
        self.hints = {printable(name, LONGEST_NAME): agent for name, agent in (hints or {}).items()}
        for label, agent in self.hints.items():
            if getattr(agent, "sees_hidden", False):
                raise ValueError(f"hints: {label} sees what is hidden, and would give it away")
        self._agents = list(agents)
        for label, each in (*zip(self.names, self._agents, strict=True), *self.hints.items()):
            if each is not None:
                with blaming(label):
                    each.reset()
        self._views = game.views
        self._round_of = play_views(game).round_of
        self._dealer = batch.clone()
        self._seeded = seeded
        self._name = secrets.token_hex(4) if name is None else name
        self._changed = threading.Condition()
        self._closed = False
        self._version = self._number = self._course = 0
        self._positions: list[Position] = []
        self._memories: list[Memory] = []  # what the agents remembered in each position, when nobody had decided yet
        self._memory = Memory(1, batch.num_players)  # what they remember now
        self._chosen: dict[int, int] = {}  # actions chosen in this position, by seat
        self._hint: Hint | None = None
        self._failure = ""
        with self._changed:
            self._begin(batch.clone())

    # Threads

    def __enter__(self) -> Self:
        for work in (self._decide, self._give_hint):
            threading.Thread(target=self._work, args=(work,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self, work: Callable[[], Callable[[], None] | None]) -> None:
        """Does whatever there is to do until the session is closed. Thinking takes long, so the lock is released."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or work() is not None)
                think = None if self._closed else work()
            if think is None:
                return
            think()

    # Looking

    def now(self) -> Now:
        with self._changed:
            return Now(
                version=self._version,
                token=self._token,
                course=self._course,
                positions=tuple(self._positions),
                legal=self._legal if self._asked else (),
                chosen=None if self.seat is None else self._chosen.get(self.seat),
                thinking=tuple(self._waiting_for if self._tells_who_decided else self._asked_agents),
                hint=self._hint,
                failure=self._failure,
                over=bool(self._batch.over[0]),
            )

    def wait(self, until: Callable[[Now], bool], seconds: float | None = None) -> Now:
        """The session once this holds, or when the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: until(self.now()), seconds)
            return self.now()

    def replay(self) -> Replay:
        """The replay of a finished game. An unfinished one would give away the seed, and so all that is hidden."""
        now = self.now()
        if not now.over:
            raise Refused("a game can be saved when it is over: until then its replay would show what is hidden")
        actions = [position.actions for position in now.positions[1:] if position.actions is not None]
        return Replay.of(self.game, now.positions[0].snapshot, actions, now.snapshot["scores"])

    # Deciding

    def choose(self, token: object, action: object) -> None:
        """Takes the person's action."""
        with self._changed:
            self._check(token)
            self._check_person()
            if self._batch.over[0]:
                raise Refused("the game is over")
            if self.seat in self._chosen:
                raise Refused("you have already decided; the others are still thinking")
            if not self._asked:
                raise Refused("it is not your turn")
            if not is_whole(action) or action not in self._legal:
                raise Refused(f"{shown(action)} is not one of your choices, which are {list(self._legal)}")
            self._take(self.seat, action)

    def undo(self, token: object) -> int:
        """Goes back to the start of the round, or from there to that of the round before. Returns that step."""
        with self._changed:
            self._check(token)
            self._check_person()
            last = len(self._positions) - 1
            begins = [number for number in range(last + 1) if self._begins(number)]
            if begins and begins[-1] == last and self.seat not in self._chosen:
                begins.pop()
            if not begins:
                raise Refused("this is the start of the game")
            del self._positions[begins[-1] + 1 :], self._memories[begins[-1] + 1 :]
            self._memory = self._memories.pop().copy()
            self._course += 1
            self._go_on(self.game.batch.from_snapshots([self._positions[-1].snapshot]))
            return begins[-1]

    def new_game(self, token: object, same_deal: bool) -> None:
        """Starts another game, or this one again."""
        with self._changed:
            self._check(token)
            if same_deal:
                self._begin(self.game.batch.from_snapshots([self._positions[0].snapshot]))
            else:
                self._dealer.reset(seed=None if self._seeded else fresh_seed())
                self._begin(self._dealer.clone())

    def ask_hint(self, token: object, agent: object) -> None:
        """Asks an agent what it would do in the person's place; `Now.hint` has the answer once it is there."""
        with self._changed:
            self._check(token)
            if not isinstance(agent, str) or agent not in self.hints:
                raise Refused(f"{shown(agent)} gives no hints; these do: {', '.join(self.hints) or 'none'}")
            if not self._asked:
                raise Refused("there is nothing for you to decide now")
            if self._hint is None or self._hint.agent != agent:
                self._hint = Hint(agent)
                self._tell()

    # Internals: the caller holds the lock

    def _check(self, token: object) -> None:
        if token != self._token:
            raise Refused("the game has moved on since then; nothing was changed")

    def _check_person(self) -> None:
        if self.seat is None:
            raise Refused("only agents play here")

    @property
    def _token(self) -> str:
        return f"{self._name}-{self._number}"

    @property
    def _to_act(self) -> list[int]:
        return np.flatnonzero(self._batch.to_act[0]).tolist()

    @property
    def _asked(self) -> bool:
        return self.seat is not None and self.seat in self._to_act and self.seat not in self._chosen

    @property
    def _legal(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self._batch.legal[0, self.seat]).tolist())

    @property
    def _asked_agents(self) -> list[int]:
        return [] if self._failure else [seat for seat in self._to_act if seat != self.seat]

    @property
    def _waiting_for(self) -> list[int]:
        return [seat for seat in self._asked_agents if seat not in self._chosen]

    @property
    def _tells_who_decided(self) -> bool:
        """Where hands are private, whoever decides at once may have had no choice, which depends on the hand."""
        return self.game.information == "open" or self.observer == EVERYTHING or len(self._to_act) == 1

    def _begins(self, number: int) -> bool:
        """Whether a round starts with this position; in a game without rounds, whether the person decided there."""
        round_ = self._round_of(self._positions[number].snapshot)
        if round_ is None:
            return self.seat in self._positions[number].snapshot["to_act"]
        return number == 0 or round_ != self._round_of(self._positions[number - 1].snapshot)

    def _begin(self, batch: Batch) -> None:
        self._positions, self._memories = [Position(batch.snapshot(0), None, [])], []
        self._memory = Memory(1, batch.num_players)
        self._course += 1
        self._go_on(batch)

    def _go_on(self, batch: Batch) -> None:
        """Goes on from a position in which nobody has decided yet."""
        self._batch = batch
        self._memories.append(self._memory.copy())
        self._chosen = {}
        self._hint = None
        self._failure = ""
        self._number += 1
        self._tell()

    def _tell(self) -> None:
        self._version += 1
        self._changed.notify_all()

    def _take(self, seat: int | None, action: int) -> None:
        """Records a player's action; the last one makes the step."""
        assert seat is not None
        self._chosen[seat] = action
        if any(player not in self._chosen for player in self._to_act):
            if seat == self.seat or self._tells_who_decided:
                return self._tell()
            return self._changed.notify_all()  # the next agent decides; for others nothing has changed
        actions = tuple(self._chosen.get(player, self._batch.pass_action) for player in range(len(self._agents)))
        self._batch.step([actions])
        before, after = self._positions[-1].snapshot, self._batch.snapshot(0)
        self._positions.append(Position(after, actions, self._views.tell(before, actions, after, seat=self.observer)))
        self._go_on(self._batch)

    # What agents think about; the functions returned run without the lock

    def _decide(self) -> Callable[[], None] | None:
        waiting = self._waiting_for
        if not waiting:
            return None
        number, seat, batch, chance = self._number, waiting[0], self._batch.clone(), self._chance(waiting[0])
        memory = self._memory.copy()

        def think() -> None:
            agent = self._agents[seat]
            assert agent is not None
            action, failure = 0, ""
            try:
                action = int(ask(agent, batch, np.zeros(1, np.int64), np.array([seat]), chance, memory)[0])
            except Exception as error:  # anybody's own agent may raise anything
                failure = f"{self.names[seat]} (player {seat}) failed: {self._what_happened(error)}"
            with self._changed:
                if number != self._number:
                    return  # the game has moved on
                if failure:
                    self._failure = failure
                    self._tell()
                else:
                    self._memory = memory  # agents think one after the other
                    self._take(seat, action)

        return think

    def _give_hint(self) -> Callable[[], None] | None:
        hint, seat = self._hint, self.seat
        if hint is None or seat is None or hint.likely is not None or hint.failure:
            return None
        legal, batch, chance = self._legal, self._batch.clone(), self._chance(seat)

        def think() -> None:
            try:
                weights = action_probabilities(self.hints[hint.agent], batch, seat, chance)
                answer = Hint(hint.agent, {action: float(weights[action]) for action in legal})
            except Exception as error:
                answer = Hint(hint.agent, failure=f"{hint.agent} failed: {reason(error)}")
            with self._changed:
                if self._hint is hint:
                    self._hint = answer
                    self._tell()

        return think

    def _what_happened(self, error: Exception) -> str:
        """An opponent's error. Its message may quote what only that opponent sees, such as its legal actions."""
        if self.observer != EVERYTHING and self.game.information == "private":
            kind = printable(type(error).__name__, 80)
            return (
                f"{kind}; its message may show what is hidden from you, so it is only shown to those who see everything"
            )
        return reason(error)

    def _chance(self, seat: int) -> Streams:
        return Streams.of_decisions(self._batch.seeds, len(self._positions) - 1, np.array([seat]))

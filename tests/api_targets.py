"""Everything public, as the API fuzzer calls it: functions, their arguments, and what they must not change."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import wrong_values as wrong
from gymnasium.vector import AutoresetMode
from wrong_values import Argument

from strand_env import agents, registry
from strand_env.adapters.environments import Environments
from strand_env.agents.search import MonteCarlo, RegretMatching
from strand_env.arena import exploit, run_arena, versus
from strand_env.engine.batch import MOST_GAMES
from strand_env.engine.checks import is_whole
from strand_env.engine.game import Game
from strand_env.engine.protocol import REWARD_KINDS
from strand_env.engine.turns import DecisionTurn
from strand_env.registry import game_ids, game_of
from strand_env.replays import animation
from strand_env.replays.replay import Replay

GAMES, PLAYERS = 3, 3


@dataclass(frozen=True)
class Target:
    """A function, its arguments, and all that it must not change when it fails."""

    name: str
    call: Callable[..., Any]
    arguments: dict[str, Argument]
    state: Callable[[], object] = lambda: None


# Batches


def batch_targets(game: Game, batch: Any) -> Iterator[Target]:
    """All public methods of a batch of games, and its constructors."""
    kind = type(batch)
    moved = batch.clone()
    moved.step(moved.random_actions(1))
    turn, snapshot = batch.turn(), batch.snapshot(0)
    shape, rows_shape = (GAMES, PLAYERS), [0, 1, 2]
    legal = batch.random_actions(0)
    layout, masks = batch.layout, batch.rules.mask_bytes
    games = wrong.rows(rows_shape, GAMES - 1, "games")
    seats = wrong.rows([2, 1, 0], PLAYERS - 1, "seats")
    which, index = wrong.which([0, 2], GAMES), wrong.number(0, 0, GAMES - 1)
    actions = wrong.whole_array(legal, shape, "game")
    snapshots = wrong.Argument([snapshot], lambda value: False, "snapshot")
    observer = Argument(1, lambda value: value is None or one_player(value) or seats.may_be_right(value))
    one_player = wrong.number(1, 0, PLAYERS - 1).may_be_right
    any_observer = wrong.choice(1, *range(PLAYERS), None, "all")
    players_or_nobody = wrong.rows([0, 0, 0], PLAYERS - 1, least=-1).may_be_right
    known = {
        "__init__": constructor(game),
        "from_snapshots": {"snapshots": snapshots, "threads": wrong.number(1, 1)},
        "as_seen": {"snapshot": wrong.Argument(snapshot, lambda value: False), "observer": any_observer},
        "actions_as_seen": {
            "before": wrong.Argument(snapshot, lambda value: False, "before|snapshot"),
            "actions": wrong.rows(legal[0].tolist(), game.num_actions - 1, "actions"),
            "observer": any_observer,
        },
        "check_snapshot": {},  # asked with a record
        "layout_of": {},
        "table_layout_of": {},
        "most_points": {},
        "fields_to_deal": {},
        "describe": {
            "action": wrong.number(0, 0, game.num_actions - 1),
            "ruleset": wrong.instance(None, game.ruleset, type(None)),
        },
        "illegal_action": {},  # makes an error for what is known
        "statistics": {"games": games, "seats": seats},
        "status": {"index": index},
        "write_legal": {"out": wrong.out(np.zeros((*shape, masks), np.int8), (*shape, masks), np.int8)},
        "observe": {"out": wrong.out(None, (*shape, layout.size), layout.dtype)},
        "observe_table": {},
        "look_at_rows": {"games": games, "seats": seats},
        "rewards": {"kind": wrong.choice("win", *REWARD_KINDS), "which": which},
        "results": {"games": games, "seats": seats},
        "step": {"actions": actions, "which": wrong.which(None, GAMES)},
        "advance": {"actions": actions, "turn": wrong.instance(turn, type(turn))},
        "turn": {},
        "decision_turn": {},
        "random_decisions": {
            "turn": wrong.instance(batch.decision_turn(), DecisionTurn),
            "seed": wrong.seed(1, optional=False),
            "out": wrong.out(None, (GAMES,), np.int64),
        },
        "play_on": {
            "until": Argument(None, lambda value: value is None or players_or_nobody(value)),
            "chosen": wrong.whole_array(None, (GAMES,), "chosen|game"),
            "which": wrong.which(None, GAMES),
            "moves": wrong.out(None, (GAMES,), np.int64),
        },
        "random_actions": {"seed": wrong.seed(1, optional=False), "out": wrong.out(None, shape, np.int64)},
        "choose_randomly": {
            "games": games,
            "seats": seats,
            "bits": wrong.out(np.zeros(GAMES, np.uint64), (GAMES,), np.uint64),
        },
        "reset": {"which": which, "seed": wrong.seed(1, several=2)},  # and what a game is dealt by: `environment`
        "redeal": {"seed": wrong.seed(1, optional=False, several=GAMES), "observer": observer},
        "has_drawn": {"before": wrong.instance(batch.clone(), kind)},
        "clone": {},
        "select": {"which": which},
        "snapshot": {"index": index},
    }
    for name in public(kind):
        if name not in known:
            raise LookupError(f"{kind.__name__}.{name}: tell fuzz_api.py what is right there")
        call = kind if name == "__init__" else getattr(batch, name)
        yield Target(f"batch.{name}", call, known[name], lambda: batch.state.tobytes() + moved.state.tobytes())


def constructor(game: Game) -> dict[str, Argument]:
    counts = game.player_counts
    return {
        "num_games": wrong.number(2, 1, MOST_GAMES),
        "num_players": wrong.number(PLAYERS, counts[0], counts[-1]),
        "seed": wrong.seed(1, optional=False, several=2),
        "ruleset": wrong.instance(None, game.ruleset, type(None)),
        "threads": wrong.number(1, 1),
        "variant": wrong.choice(None, *game.variants),
        **{name: wrong.flag() for name in game.batch.options},
    }


def public(kind: type) -> list[str]:
    """The names of the methods that a class is used by, and of its constructor."""
    found = ["__init__"]
    for name, _ in inspect.getmembers(kind, callable):
        if not name.startswith("_") and not isinstance(inspect.getattr_static(kind, name), type):
            found.append(name)
    return found


def making(game: Game) -> dict[str, Argument]:
    """The arguments that all environments share."""
    any_count = wrong.number(PLAYERS, game.player_counts[0], game.player_counts[-1]).may_be_right

    def several(value: Any) -> bool:
        listed = isinstance(value, (list, tuple, range)) and all(map(any_count, value))
        return listed and 0 < len(value) == len({*value})

    return {
        "num_players": Argument(PLAYERS, lambda value: value is None or any_count(value) or several(value)),
        "reward": wrong.choice("win", *REWARD_KINDS),
        "illegal": wrong.choice("terminate", "raise"),
        "ruleset": wrong.instance(None, game.ruleset, type(None)),
        "variant": wrong.choice(None, *game.variants),
        **{name: wrong.flag() for name in game.batch.options},
    }


def environment_targets(game: Game) -> Iterator[Target]:
    """The functions that make environments."""
    make, names = Environments(game), agents.agent_names(game)
    shared = making(game)
    modes = wrong.choice(None, "ansi", "rgb_array")
    learner = {
        **shared,
        "seat": wrong.choice(0, *range(PLAYERS), "random"),
        "opponents": wrong.agent("random", names, "opponents|agent"),
        "record": wrong.number(0, 0),
    }
    several = {"num_envs": wrong.number(2, 1, MOST_GAMES, named="num_games|num_envs")}
    shown_to = {
        "render_mode": modes,
        "render_seat": wrong.choice(None, *range(PLAYERS), "all"),
        "observation": wrong.choice("dict", "array"),
    }
    again = {
        "autoreset_mode": wrong.choice(*(mode.value for mode in AutoresetMode)),
        "max_episode_steps": wrong.number(None, 1),
        "render_mode": wrong.choice(None),
    }
    yield Target("parallel_env", make.parallel_env, {**shared, **shown_to})
    yield Target("raw_env", make.raw_env, {**shared, **shown_to})
    yield Target("env", make.env, {**shared, **shown_to})
    single = {name: each for name, each in learner.items() if name != "record"}
    yield Target("learner_env", make.learner_env, {**single, "render_mode": modes})
    yield Target("learner_vector_env", make.learner_vector_env, {**several, **learner, **again})
    yield Target("learner_vec_env", make.learner_vec_env, {**several, **learner})
    yield Target("learner_match", make.learner_match, {"num_games": wrong.number(2, 1, MOST_GAMES), **learner})
    yield Target("self_play_vec_env", make.self_play_vec_env, {**several, **shared, "record": wrong.number(0, 0)})


def table_targets(game: Game, env: Any) -> Iterator[Target]:
    """The methods of PettingZoo's environments."""
    parallel = hasattr(env.unwrapped, "table") and "ParallelEnv" in type(env.unwrapped).__name__
    inner = env.unwrapped
    deal_options = game.batch.deal_options
    names = inner.possible_agents
    actions = {name: int(inner.table.legal[player].argmax()) for player, name in enumerate(names)}

    def right_actions(value: Any) -> bool:
        return isinstance(value, dict) and value.keys() == actions.keys()

    def state() -> object:
        more = () if parallel else (inner.agent_selection, dict(inner._choices), dict(inner.rewards))
        table = inner.table
        return table.batch.state.tobytes(), inner.agents[:], table.recorder.played, table.recorder.starts, more

    what = "parallel" if parallel else "aec"
    one_action = wrong.number(0, 0, game.num_actions - 1)
    step = {"actions": Argument(actions, right_actions)} if parallel else {"action": one_action}
    yield Target(f"{what}.step", env.step, step, state)
    if parallel:
        each = Argument(actions["player_0"], one_action.may_be_right, "action")
        yield Target(
            "parallel.step.one", lambda action: env.step({**actions, "player_0": action}), {"action": each}, state
        )
    yield Target(
        f"{what}.reset", env.reset, {"seed": wrong.seed(1), "options": wrong.options(None, deal_options)}, state
    )
    for name in deal_options:
        dealt = {"value": Argument(None, lambda value: value is None, name)}
        yield Target(f"{what}.reset.{name}", lambda value, name=name: env.reset(options={name: value}), dealt, state)
    agent = wrong.choice("player_0", *names)
    for name in ("observe", "observation_space", "action_space"):
        yield Target(f"{what}.{name}", getattr(inner, name), {"agent": agent}, state)
    snapshot = Argument(inner.snapshot(), lambda value: False)
    yield Target(f"{what}.restore", inner.restore, {"snapshot": snapshot}, state)


def learner_targets(game: Game, env: Any, what: str) -> Iterator[Target]:
    """The methods of environments with learners, for Gymnasium and Stable-Baselines3."""
    batch = env.batch if hasattr(env, "batch") else env.match.batch
    count = batch.num_games
    given = wrong.options(None, game.batch.deal_options)
    one_action = wrong.number(0, 0, game.num_actions - 1)
    several_actions = wrong.whole_array(np.zeros(count, int), (count,), "action")

    def state() -> object:
        match = getattr(env, "match", None)
        inside = () if match is None else (match._moves.tobytes(), match._decisions.tobytes(), match._obstacle)
        vec = [str(getattr(env, name, "")) for name in ("_seeds", "_options", "shown", "_waiting", "_chosen")]
        played = batch.state.tobytes() if match is None else match.batch.state.tobytes()
        return played, inside, vec

    if what == "learner":
        yield Target("learner.step", env.step, {"action": one_action}, state)
        yield Target("learner.reset", env.reset, {"seed": wrong.seed(1), "options": given}, state)
        return
    replays = {"index": wrong.number(0, 0, 0)}
    if what == "match":
        yield Target("match.reset", env.reset, {"seeds": seeds_of(count), "options": given}, state)
        yield Target("match.step", env.step, {"actions": several_actions}, state)
        snapshots = Argument(None, lambda value: False, "snapshot")
        yield Target("match.resumed", env.resumed, {"snapshots": snapshots}, state)
        yield Target(
            "match.restore", env.restore, {"saved": Argument(None, lambda value: False, "saved|snapshots?")}, state
        )
        return
    yield Target(f"{what}.replay", env.replay, replays, state)
    if what == "vector":
        yield Target("vector.reset", env.reset, {"seed": wrong.seed(1, several=count), "options": given}, state)
        yield Target("vector.step", env.step, {"actions": several_actions}, state)
        return
    yield Target(f"{what}.step", env.step, {"actions": several_actions}, state)
    yield Target(f"{what}.seed", env.seed, {"seed": wrong.seed(1)}, state)
    yield Target(f"{what}.set_options", env.set_options, {"options": given}, state)
    indices = Argument(None, lambda value: value is None or _are_rows(value, count))
    yield Target(
        f"{what}.get_attr", env.get_attr, {"attr_name": Argument("num_envs", _is_name), "indices": indices}, state
    )
    masks = {"method_name": wrong.choice("action_masks"), "indices": indices}
    yield Target(f"{what}.env_method", env.env_method, masks, state)
    yield Target(
        f"{what}.env_is_wrapped", env.env_is_wrapped, {"wrapper_class": wrong.anything(int), "indices": indices}
    )


def _are_whole(value: Any, dimensions: int) -> bool:
    array = wrong.array_of(value)
    return array is not None and array.ndim == dimensions and (array.dtype.kind in "iuO" or not array.size)


def _is_empty(value: Any) -> bool:
    return wrong.list_of(value) == [] or (isinstance(value, np.ndarray) and value.ndim > 0 and not len(value))


def seeds_of(count: int) -> Argument:
    several = wrong.seed([1] * count, several=count)
    one = wrong.seed().may_be_right
    right = several.may_be_right
    return Argument([1] * count, lambda value: right(value) and (value is None or not one(value)), "seed")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value in ("num_envs", "batch", "game")


def _are_rows(value: Any, count: int) -> bool:
    if isinstance(value, (int, np.integer)):
        return not isinstance(value, bool) and -count <= value < count
    array = wrong.array_of(value)
    if array is None or array.ndim != 1:
        return False
    return array.size == 0 or (array.dtype.kind in "iu" and all(-count <= int(each) < count for each in array))


def agent_targets(game: Game, folder: Path) -> Iterator[Target]:
    names = agents.agent_names(game)
    of_game = Argument(game, lambda value: isinstance(value, str) and value in (game.id, game.name))
    ruleset = wrong.anything(None)  # agents know what they play; those that come along check it
    yield Target(
        "agent_of", agents.agent_of, {"agent": wrong.agent("random", names), "game": of_game, "ruleset": ruleset}
    )
    yield Target("agent_names", agents.agent_names, {"game": of_game})
    named = Argument(
        "random", lambda value: isinstance(value, str) and value in (*names, "../..", "file.py:Class"), "agent"
    )
    yield Target("origins_of", agents.origins_of, {"agent": named, "game": of_game})
    yield Target("game_of", game_of, {"game": of_game})
    yield Target("register_game", registry.register_game, {"game": Argument(None, lambda value: False)}, game_ids)
    policy = agents.RandomAgent()
    for kind in (MonteCarlo, RegretMatching):
        yield Target(kind.__name__, kind, {"rollouts": wrong.number(4, 1), "heuristic": wrong.anything(policy)})


def arena_targets(game: Game, folder: Path) -> Iterator[Target]:
    names = agents.agent_names(game)
    counts = game.player_counts
    of_game = Argument(game, lambda value: isinstance(value, str) and value in (game.id, game.name))
    setup = {
        "deals": wrong.number(1, 1, 1_000_000),
        "players": wrong.number(counts[0], counts[0], counts[-1]),
        "seed": wrong.seed(0, optional=False),
        "game": of_game,
    }
    more = {
        "versus": Argument(
            None, lambda value: value is None or (isinstance(value, str) and value in names), "agent|no such file"
        ),
        "processes": wrong.number(1, 1),
        "ray": Argument(None, lambda value: value is None or isinstance(value, str)),
        "out": Argument(None, lambda value: value is None or (isinstance(value, (str, Path)))),
        "resume": wrong.flag(),
        "record": wrong.number(0, 0),
        "watch": Argument(None, lambda value: value is None or callable(value)),
    }
    entrants = Argument(["random", "random"], lambda value: False, "agents?|no such file")

    def state() -> object:
        return sorted(folder.rglob("*"))

    yield Target("run_arena", run_arena, {"agents": entrants, **setup, **more}, state)
    measured = {name: argument for name, argument in more.items() if name not in ("versus", "record")}
    responses = {
        "agent": wrong.agent("random", names, "agent|no such file"),
        "rollouts": Argument([1], lambda value: isinstance(value, (list, tuple)) and all(map(is_whole, value))),
        "cutoff": wrong.number(None, 1, 1_000_000),
        "responses": Argument([], lambda value: isinstance(value, (list, tuple)) and not value, "responses|agent"),
    }
    yield Target("exploit", exploit, {**responses, **setup, **measured}, state)
    both = {name: wrong.agent("random", names, f"agent|{name}") for name in ("hero", "opponent")}
    asked = {"batched": wrong.flag(True), "encoding": Argument("compact", lambda value: True)}
    yield Target("versus", versus, {**both, **setup, **asked}, state)
    results = run_arena(["random", "random"], 1, counts[0], game=game)
    kinds = results._outcomes
    than = Argument(None, lambda value: value is None)
    yield Target("first_agent", results.first_agent, {"kind": wrong.choice("win", "margin", *kinds), "than": than})


def replay_targets(game: Game, folder: Path) -> Iterator[Target]:
    env = Environments(game).parallel_env(num_players=PLAYERS)
    env.reset(seed=1)
    replay = env.replay()
    start = env.snapshot()
    of_game = Argument(game, lambda value: isinstance(value, str) and value == game.id)
    arguments = {
        "game": of_game,
        "start": Argument(start, lambda value: False, "start|players|ruleset|seed"),
        # Whether they fit the game is only known when it is replayed.
        "actions": Argument([], lambda value: _are_whole(value, 2) or _is_empty(value)),
        "scores": Argument(None, lambda value: value is None or _are_whole(value, 1) or _are_whole(value, 0)),
    }

    def state() -> object:
        return sorted(folder.rglob("*")), replay.to_json()

    path = wrong.path(folder / "replay.json")
    seat = wrong.choice("all", *range(PLAYERS), None, named="seat|observer")
    yield Target("Replay.of", Replay.of, arguments, state)
    yield Target(
        "Replay.from_json", Replay.from_json, {"text": Argument(replay.to_json(), lambda value: False, "")}, state
    )
    yield Target("Replay.load", Replay.load, {"path": path}, state)
    yield Target("Replay.save", replay.save, {"path": path}, state)
    yield Target("Replay.positions", lambda seat: list(replay.positions(seat)), {"seat": seat}, state)
    seconds = Argument(
        1.0, lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 3600
    )
    drawing = {"replay": Argument(replay, lambda value: False), "path": path, "seconds": seconds, "seat": seat}
    for save in (animation.save_svg, animation.save_html):
        yield Target(save.__name__, save, drawing, state)


def view_targets(game: Game) -> Iterator[Target]:
    """What a game shows of its positions."""
    batch = game.batch(1, PLAYERS, seed=1)
    before, actions = batch.snapshot(0), batch.random_actions(0)[0].tolist()
    batch.step([actions])
    after = batch.snapshot(0)
    never = lambda value: False  # noqa: E731
    story = Argument(
        ["It begins."], lambda value: isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)
    )
    seat = wrong.choice("all", *range(PLAYERS), None, named="seat|observer")
    shown = {"snapshot": Argument(before, never), "story": story, "seat": seat}
    for show in ("to_text", "to_svg", "to_pixels"):
        yield Target(f"views.{show}", getattr(game.views, show), shown)
    told = {
        "before": Argument(before, never, "before|snapshot"),
        "actions": Argument(actions, lambda value: _are_whole(value, 1)),
        "after": Argument(after, never, "after|snapshot"),
        "seat": seat,
    }
    yield Target("views.tell", game.views.tell, told)
    yield from damaged_targets(game, before, actions)


def damaged_targets(game: Game, snapshot: dict[str, Any], actions: list[int]) -> Iterator[Target]:
    """Snapshots with one wrong field: whatever is not shown is refused by its name."""
    calls: dict[str, Callable[[dict[str, Any]], object]] = {
        "to_text": lambda damaged: game.views.to_text(damaged, seat=1),
        "tell": lambda damaged: game.views.tell(damaged, actions, snapshot, seat=1),
    }
    for name, call in calls.items():
        for field in snapshot:

            def showing(call: Any = call, field: str = field, **value: Any) -> bool:
                call({**snapshot, field: value[field]})
                return True

            def fits(value: Any, field: str = field, showing: Callable[..., bool] = showing) -> bool:
                another_count = field == "players" and is_whole(value) and value in game.player_counts
                return another_count or showing(**{field: value})  # that of other fields is refused then

            yield Target(f"{name} of {field}", showing, {field: Argument(snapshot[field], fits)})


# All together


def all_targets(game: Game, folder: Path) -> tuple[list[Target], list[tuple[str, Callable[[], object]]]]:
    """What is called, and for each object that plays, the rest of its game."""
    make = Environments(game)
    found: list[Target] = []
    rests: list[tuple[str, Callable[[], object]]] = []
    batch = game.batch(GAMES, PLAYERS, seed=1)
    found += [*batch_targets(game, batch), *environment_targets(game)]
    rests.append(("batch", lambda: rest_of_batch(batch)))
    for name in ("parallel_env", "raw_env", "env"):
        env = getattr(make, name)(num_players=PLAYERS)
        env.reset(seed=1)
        found += table_targets(game, env)
        rests.append((name, lambda env=env: rest_of_batch(env.unwrapped.table.batch)))
    for name, what in (
        ("learner_env", "learner"),
        ("learner_vector_env", "vector"),
        ("learner_vec_env", "vec"),
        ("learner_match", "match"),
        ("self_play_vec_env", "selfplay"),
    ):
        count = () if what == "learner" else (GAMES,)
        more = {} if what == "learner" else {"record": 1}
        env = getattr(make, name)(*count, num_players=PLAYERS, **more)
        if what in ("vec", "selfplay"):
            env.seed(1)
            env.reset()
        else:
            env.reset(**({"seeds": [1] * GAMES} if what == "match" else {"seed": 1}))
        found += learner_targets(game, env, what)
        rests.append((name, lambda env=env: rest_of_batch(env.batch if hasattr(env, "batch") else env.match.batch)))
    if game.id in game_ids():  # the views of the toy game are but toys
        found += view_targets(game)
    found += [*agent_targets(game, folder), *arena_targets(game, folder), *replay_targets(game, folder)]
    return [target for target in found if target.arguments], rests


def rest_of_batch(batch: Any) -> object:
    """The rest of the games, played by chance."""
    for step in range(10_000):
        if batch.over.all():
            break
        batch.step(batch.random_actions(step))
    return batch.state.tobytes()

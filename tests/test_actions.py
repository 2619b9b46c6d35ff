"""The table of actions against section 6 of the rules."""

import pytest

from strand_env.strand_unter import NUM_ACTIONS, Ruleset, describe
from strand_env.strand_unter.actions import TAKEN


def test_every_action_has_a_sentence_of_its_own() -> None:
    sentences = [describe(action) for action in range(NUM_ACTIONS)]
    assert len(set(sentences)) == NUM_ACTIONS == 57
    for sentence in sentences:
        assert sentence[0].isupper()
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (0, "one white"),
        (3, "one black"),
        (9, "all shells of one colour"),
        (12, "brown"),
        (14, "one white and one gray"),
        (19, "one brown and one black"),
        (20, "two white and one gray"),
        (23, "two gray and one white"),
        (31, "two black and one brown"),
        (32, "each colour but white"),
        (36, "castle 0"),
        (47, "castle 1, the wild shell being black"),
        (52, "castle 3, the wild shell being white"),
        (56, "Pass"),
    ],
)
def test_ids_mean_what_the_rules_say(action: int, words: str) -> None:
    assert words in describe(action)


def test_two_and_one_follow_the_formula() -> None:
    for two in range(4):
        for one in set(range(4)) - {two}:
            action = 20 + 3 * two + (one if one < two else one - 1)
            assert TAKEN[action].tolist() == [2 if c == two else 1 if c == one else 0 for c in range(4)]


def test_the_dial_is_described_by_the_ruleset() -> None:
    ruleset = Ruleset(combinations=tuple(reversed(Ruleset.default().combinations)))
    assert describe(4, ruleset) == describe(9)

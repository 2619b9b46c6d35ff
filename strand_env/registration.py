"""Makes the environments known to the registries of the libraries. Nothing of a game is imported until one is made."""

import gymnasium
import pettingzoo


def register_environments() -> None:
    module = "strand_env.strand_unter_v0"
    pettingzoo.register("aec", "strand_env/strand_unter_v0", f"{module}:env")
    pettingzoo.register("parallel", "strand_env/strand_unter_v0", f"{module}:parallel_env")
    gymnasium.register(
        "strand_env/StrandUnter-v0",
        entry_point=f"{module}:learner_env",
        vector_entry_point=f"{module}:learner_vector_env",
    )

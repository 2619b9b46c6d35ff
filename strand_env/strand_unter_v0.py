"""The former version of `strand_unter_v1`: its observations had no history."""

raise ImportError(
    "strand_unter_v0 was replaced by strand_unter_v1, whose observations differ (they show what players have set "
    "before); use strand_env.strand_unter_v1 instead"
)

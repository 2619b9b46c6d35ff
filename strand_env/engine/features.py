"""What the feature encodings of several games do alike, in compiled code."""

from strand_env.engine.jit import compiled


@compiled
def copied(entries, scale, out):
    for index in range(len(out)):
        out[index] = entries[index] / scale


@compiled
def show_leads(seats, most):
    """Fills in "lead" from "points": the observer's over each other player, and in its own seat the smallest of these.

    `most` is more than any lead.
    """
    least = most
    for place in range(1, len(seats)):
        if seats[place]["present"]:
            seats[place]["lead"] = seats[0]["points"] - seats[place]["points"]
            least = min(least, seats[place]["lead"])
    seats[0]["lead"] = least

"""Parts of written pages that are made from code or from results, between marks that say by which command."""

import re


def filled(page: str, name: str, command: str, lines: list[str]) -> str:
    """The page with these lines in place of those between the marks of that name."""
    mark = f"<!-- {name}, written by `{command}` -->\n"
    pattern = re.compile(f"(?<={re.escape(mark)})(.*?)(?=<!-- end of {name} -->)", re.DOTALL)
    page, found = pattern.subn(lambda _: "\n" + "\n".join(lines) + "\n\n", page)
    if found != 1:
        raise ValueError(f"expected once on the page, found {found} times: {mark}<!-- end of {name} -->")
    return page

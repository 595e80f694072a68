"""What a campaign checked, printed alike by all of them."""

from collections import Counter
from collections.abc import Iterable


def print_checks(checks: Iterable[str], checked: Counter[str], failed: Counter[str]) -> None:
    """Print of each check how often it was made, and how often it did not hold."""
    for check in checks:
        print(f"{check}: {checked[check]} checked, {failed[check]} violations")

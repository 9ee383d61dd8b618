"""Pin anew what the tests of this folder compare, and say what changed.

python -m tests.pins
"""

from tests.pins.pinned import pins, read, write


def main() -> None:
    """Write the file."""
    before, now = read(), pins()
    write(now)
    for group in now:
        for name in sorted({*before[group], *now[group]}):
            if before[group].get(name) != now[group].get(name):
                print(f"{group}: {name}: {before[group].get(name)} -> {now[group].get(name)}")


if __name__ == "__main__":
    main()

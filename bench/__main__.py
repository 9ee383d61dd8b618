"""Run the benchmark: `python -m bench`, or `python -m bench --quick` for a first impression."""

import argparse

from bench import inside, requests, sizes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="What the mock server costs.")
    parser.add_argument("--quick", action="store_true", help="measure each rate for one second, not four")
    parser.add_argument("--rates", action="store_true", help="measure only requests per second")
    parser.add_argument("--sizes", action="store_true", help="measure only what grows with the rows")
    options = parser.parse_args()
    if options.sizes:
        _print_sizes()
        return
    _print_rates(1.0 if options.quick else 4.0)
    if not options.rates:
        _print_costs()
        _print_sizes()


def _print_rates(seconds: float) -> None:
    columns = f"{'case':12} {'application':11} {'conns':>5} {'req/s':>8} {'req/CPU s':>10}"
    print(f"{columns} {'p50 ms':>8} {'p99 ms':>8}  of work")
    work: dict[tuple[str, int], float] = {}
    for result in requests.measure(seconds):
        key = (result.case, result.connections)
        if result.application == "work":
            work[key] = result.per_cpu_second
        ratio = f"{result.per_cpu_second / work[key]:8.0%}" if result.application == "mockserver" else ""
        measured = result.measured
        print(
            f"{result.case:12} {result.application:11} {result.connections:5} {measured.per_second:8.0f} "
            f"{result.per_cpu_second:10.0f} {measured.median_ms:8.2f} {measured.p99_ms:8.2f} {ratio}",
            flush=True,
        )


def _print_costs() -> None:
    print()
    for cost in inside.measure():
        print(f"{cost.name:55} {cost.value:10.3f} {cost.unit:3} {cost.beside}", flush=True)


def _print_sizes() -> None:
    print()
    print(f"{'request':55} {'1,000 rows':>12} {'100,000 rows':>13}")
    for size in sizes.measure():
        print(f"{size.name:55} {size.few_us:9.0f} us {size.many_us:10.0f} us", flush=True)


if __name__ == "__main__":
    main()

"""What was found about copies, in sentences."""

from __future__ import annotations

from truegrade.ecg.copies.tail import FEWEST, LEVEL, Tail
from truegrade.result.ecg import Number


def sentences(
    count: int, equal: int, few: int, lacking: int, share: Number, tail: Tail, flagged: bool
) -> tuple[str, ...]:
    """count: copies; equal: of them those that equal a real one by value; few: recordings that were compared on fewer
    than half of the leads; lacking: recordings not compared."""
    words = []
    if share.value is not None:
        words.append(_found(count, share.n_synthetic, flagged))
        if equal:
            words.append(f"{_number(equal, 'of them equals', 'of them equal')} a real recording in every value.")
        if count and share.floor is not None:
            words.append(f"Of fresh real recordings {share.floor:.1%} are called copies in the same way.")
        words.append(_threshold(tail))
    if few:
        words.append(
            f"{_number(few, 'synthetic recording has', 'synthetic recordings have')} a signal in fewer than half of "
            "the leads and may be a copy in these; the threshold is then learnt on them."
        )
    if lacking:
        words.append(
            f"{_number(lacking, 'synthetic recording has', 'synthetic recordings have')} too few leads with a signal "
            "and cannot be compared."
        )
    if tail.doubles:
        words.append(
            f"{_number(tail.doubles, 'real recording is', 'real recordings are')} as good as equal to another real one "
            "of another patient; the threshold is learnt from the others."
        )
    return tuple(words)


def _found(count: int, of: int, flagged: bool) -> str:
    if not count:
        return f"None of {of:,} synthetic recordings is a copy of a real one, at any shift in time."
    verb = "is a copy of a real one" if count == 1 else "are copies of real ones"
    more = "more than fresh real recordings explain" if flagged else "which chance or repeated real data may explain"
    return f"{count:,} of {of:,} synthetic recordings {verb}, if need be at another phase: {more}."


def _threshold(tail: Tail) -> str:
    if tail.n < FEWEST:
        return (
            f"Recordings are called copies from a similarity of {tail.threshold:.2f} on; with {tail.n} real recordings "
            "to compare among themselves that is a guess."
        )
    return (
        f"Recordings are called copies from a similarity of {_nines(tail.threshold)} on, more than all but {LEVEL:.1%} "
        "of real recordings have with any of another patient."
    )


def _nines(similarity: float) -> str:
    """Two digits of what is missing to 1."""
    for digits in range(2, 7):
        if 1.0 - similarity >= 10.0**-digits:
            return f"{similarity:.{digits}f}" if digits == 2 else f"{similarity:.{digits + 1}f}"
    return f"{similarity:.7f}"


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"

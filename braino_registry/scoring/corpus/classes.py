"""Agreement of labels over fixed classes, with a bin of its own for what is no class.

An answer that is no class is an error for the class that was right, and never a class itself; a
class that occurs nowhere has an F1 of 0 and stays in the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from braino_registry.scoring.corpus.model import ScoreError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often which label was given for which.

    Parameters
    ----------
    classes : tuple of str
        The fixed classes.
    table : array, shape (n_classes, n_classes + 1)
        True class by row; answered class by column, the last for what is no class.
    """

    classes: tuple[str, ...]
    table: Floats

    @property
    def n(self) -> int:
        """Number of labels."""
        return int(self.table.sum())

    @property
    def n_invalid(self) -> int:
        """Number of answers that are no class."""
        return int(self.table[:, -1].sum())

    @property
    def accuracy(self) -> float:
        """Share that is right, of all; 0 of none."""
        return float(accuracies(self.table))

    @property
    def macro_f1(self) -> float:
        """Mean F1 over all the fixed classes."""
        return float(macro_f1s(self.table))

    @property
    def macro_f1_present(self) -> float:
        """Mean F1 over the classes that were true or answered at least once; 0 of none."""
        seen = (self.table.sum(axis=1) + self.table[:, :-1].sum(axis=0)) > 0
        return float(f1s(self.table)[seen].mean()) if seen.any() else 0.0

    @property
    def balanced_accuracy(self) -> float:
        """Mean share that is right of each class; a class that is never true counts as 0."""
        return float(balanced_accuracies(self.table))

    @property
    def kappa(self) -> float:
        """Cohen's kappa; with one class only, 1 if all agree, else 0. See `kappa`."""
        return kappa(self.table)


def confuse(gold: Sequence[str], predicted: Sequence[str], classes: Sequence[str]) -> Confusion:
    """Count which label was given for which.

    Parameters
    ----------
    gold, predicted : sequence of str
        True and answered labels, of one length. Whatever is no class counts as no class.
    classes : sequence of str
        The fixed classes.

    Returns
    -------
    Confusion

    Raises
    ------
    ScoreError
        If the lengths differ, a class is there twice, or a true label is no class.
    """
    if len(gold) != len(predicted):
        raise ScoreError(f"There are {len(gold)} true labels for {len(predicted)} answers.")
    places = {label: place for place, label in enumerate(classes)}
    if len(places) != len(classes):
        raise ScoreError("A class stands there twice.", hint="Name each class once.")
    unknown = sorted({label for label in gold if label not in places})
    if unknown:
        raise ScoreError(
            f"True labels are none of the classes: {', '.join(map(repr, unknown))}.",
            hint=f"Classes are {', '.join(classes)}.",
        )
    k = len(places)
    rows = np.fromiter((places[label] for label in gold), dtype=np.intp, count=len(gold))
    columns = np.fromiter(
        (places.get(label, k) for label in predicted), dtype=np.intp, count=len(gold)
    )
    table = np.bincount(rows * (k + 1) + columns, minlength=k * (k + 1))
    return Confusion(tuple(classes), table.reshape(k, k + 1).astype(float))


def f1s(tables: Floats) -> Floats:
    """Return the F1 of each class, 2 TP / (2 TP + FP + FN).

    Parameters
    ----------
    tables : array, shape (..., n_classes, n_classes + 1)
        As in `Confusion`.

    Returns
    -------
    array, shape (..., n_classes)
        0 where a class is neither true nor answered.
    """
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    whole = tables.sum(axis=-1) + tables[..., :-1].sum(axis=-2)
    return _share(2 * right, whole)


def macro_f1s(tables: Floats) -> Floats:
    """Return the mean F1 over the classes of each table."""
    return np.asarray(f1s(tables).mean(axis=-1))


def accuracies(tables: Floats) -> Floats:
    """Return the share that is right of each table; 0 of an empty one."""
    right = np.trace(tables[..., :-1], axis1=-2, axis2=-1)
    return _share(right, tables.sum(axis=(-2, -1)))


def balanced_accuracies(tables: Floats) -> Floats:
    """Return the mean share that is right of each class, of each table."""
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    return np.asarray(_share(right, tables.sum(axis=-1)).mean(axis=-1))


def kappa(table: Floats) -> float:
    """Return Cohen's kappa of one table: agreement beyond chance over what chance leaves.

    Computed on whole counts, so that the case in which chance explains everything is exact: it is
    1 if all agree and 0 if not. A table without labels has 0. From -1 to 1.
    """
    n = float(table.sum())
    if n == 0:
        return 0.0
    agreed = float(np.trace(table[:, :-1]))
    by_chance = float(table.sum(axis=1) @ table[:, :-1].sum(axis=0))
    if by_chance == n * n:
        return float(agreed == n)
    return (n * agreed - by_chance) / (n * n - by_chance)


def _share(part: Floats, whole: Floats) -> Floats:
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)

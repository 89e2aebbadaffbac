"""How fast a figure changes over a run: least squares, with the error of each coefficient."""
import math


def solve(matrix, right):
    """The solution of a small system of equations and the inverse of its matrix; None where it has none."""
    size = len(matrix)
    rows = [list(row) + [value] + [float(i == j) for j in range(size)] for i, (row, value) in enumerate(zip(matrix, right, strict=True))]
    for i in range(size):
        pivot = max(range(i, size), key=lambda j: abs(rows[j][i]))
        if abs(rows[pivot][i]) < 1e-12:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[size] for row in rows], [row[size + 1:] for row in rows]


def alike(errors):
    """By how much a variance that supposes independent errors is too small: (1 + r) / (1 - r), at least 1. What is left beside a
    fitted line correlates less than the errors themselves, by (2 + 4 r) / n (Kendall 1954, Marriott and Pope 1954); that is added."""
    squares = sum(each * each for each in errors)
    if not squares:
        return 1.0
    neighbours = sum(a * b for a, b in zip(errors, errors[1:])) / squares
    neighbours += (2 + 4 * neighbours) / len(errors)
    neighbours = min(max(neighbours, 0.0), 0.99)
    return (1 + neighbours) / (1 - neighbours)


def fit(figures, *causes):
    """`figures` as a constant plus a multiple of each of `causes` (lists of the same length): (multiple, its standard error)
    of each cause. None where the causes do not vary independently of each other, or there are too few figures.
    A figure that errs like the one before it tells less than one that errs for itself: where neighbours are alike, n figures count
    as n (1 - r) / (1 + r) independent ones, with r the correlation of neighbours (Bayley and Hammersley 1946, for a first-order
    autoregression); where they are opposite, as n."""
    count = len(figures)
    if count < len(causes) + 3:
        return None
    mean = sum(figures) / count
    means = [sum(each) / count for each in causes]
    scales = [math.sqrt(sum((value - m) ** 2 for value in each)) for each, m in zip(causes, means, strict=True)]
    if not all(scales):
        return None
    columns = [[(value - m) / s for value in each] for each, m, s in zip(causes, means, scales, strict=True)]
    products = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    solved = solve(products, [sum(a * (b - mean) for a, b in zip(x, figures, strict=True)) for x in columns])
    if solved is None:
        return None
    multiples, inverse = solved
    left = [y - mean - sum(m * x[i] for m, x in zip(multiples, columns, strict=True)) for i, y in enumerate(figures)]
    variance = sum(each * each for each in left) / (count - len(causes) - 1) * alike(left)
    return [(m / s, math.sqrt(variance * inverse[i][i]) / s) for i, (m, s) in enumerate(zip(multiples, scales, strict=True))]

"""Claim: slopes and their errors are those of the law that made the figures, also where neighbouring figures err alike."""
import math
import random
import unittest

from slopes import fit


def walk(random_source, count, alike, slope):
    """A line with errors of standard deviation 1, of which neighbours correlate by `alike`."""
    error, figures = random_source.gauss(0, 1), []
    for i in range(count):
        figures.append(slope * i + error)
        error = alike * error + math.sqrt(1 - alike * alike) * random_source.gauss(0, 1)
    return figures


class SlopesTest(unittest.TestCase):
    def test_a_line_without_errors(self):
        (slope, error), = fit([3.0 + 2.0 * i for i in range(20)], list(range(20)))
        self.assertAlmostEqual(slope, 2.0)
        self.assertAlmostEqual(error, 0.0)

    def test_two_causes_are_told_apart(self):
        hours, edges = [float(i) for i in range(40)], [float(min(i, 20) ** 2) for i in range(40)]
        found = fit([1 + 0.5 * h + 0.25 * e for h, e in zip(hours, edges)], hours, edges)
        self.assertAlmostEqual(found[0][0], 0.5)
        self.assertAlmostEqual(found[1][0], 0.25)

    def test_three_errors_are_seldom_passed_by_chance(self):
        """Of 400 flat figures whose neighbours are alike, at most 20 look as if they had a slope: without the correction 137 would at 0.8."""
        source = random.Random(7)
        for alike in (0.0, 0.5, 0.8):
            with self.subTest(alike=alike):
                beyond = 0
                for _ in range(400):
                    (slope, error), = fit(walk(source, 50, alike, 0.0), list(range(50)))
                    beyond += abs(slope) > 3 * error
                self.assertLessEqual(beyond, 20)

    def test_a_slope_is_seen_in_spite_of_alike_neighbours(self):
        source = random.Random(7)
        for alike in (0.0, 0.5, 0.8):
            with self.subTest(alike=alike):
                (slope, error), = fit(walk(source, 60, alike, 0.5), list(range(60)))
                self.assertGreater(slope, 3 * error)

    def test_causes_that_are_one(self):
        self.assertIsNone(fit([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 1, 1, 1, 1, 1]))


if __name__ == "__main__":
    unittest.main()

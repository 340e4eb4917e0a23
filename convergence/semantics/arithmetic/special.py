"""Bessel's functions and two relatives of the error function, in double: best effort.

Abramowitz and Stegun, *Handbook of Mathematical Functions*: 9.1.18 and 9.6.16 (integrals over a whole turn,
which the trapezoidal rule gives to all digits), 9.1.89 (Neumann's series), 9.2.5 and 9.2.6 (Hankel's
expansions), 7.1.14 (a continued fraction).
"""

from __future__ import annotations

import math
from collections.abc import Callable

_FAR = 25.0
"""From here on Hankel's expansions of low orders have all digits."""
_EULER = 0.5772156649015329


def _turn(points: int, of: Callable[[float], float]) -> float:
    """The mean over a whole turn."""
    return math.fsum(of(2 * math.pi * k / points) for k in range(points)) / points


def _hankel(order: int, x: float) -> tuple[float, float]:
    """J and Y of a low order, far out."""
    mu, term, p, q = 4.0 * order * order, 1.0, 1.0, 0.0
    for k in range(1, 60):
        factor = (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        if abs(factor) >= 1:
            break
        term *= factor
        sign = -1 if k // 2 % 2 else 1
        if k % 2:
            q += sign * term
        else:
            p += sign * term
    angle, size = x - (order / 2 + 0.25) * math.pi, math.sqrt(2 / (math.pi * x))
    sine, cosine = math.sin(angle), math.cos(angle)
    return size * (p * cosine - q * sine), size * (p * sine + q * cosine)


def bessel_j(order: float, x: float) -> float:
    """Of the first kind, of an order that is an integer."""
    n = int(order)
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else 0.0
    if x == 0:
        return 0.0 if n else 1.0
    sign = -1.0 if (n < 0) != (x < 0) and n % 2 else 1.0
    n, x = abs(n), abs(x)
    if x > max(_FAR, float(n * n)):
        return sign * _hankel(n, x)[0]
    if x > 10_000:
        return math.nan
    points = int(x) + n + 80
    return sign * _turn(points, lambda angle: math.cos(n * angle - x * math.sin(angle)))


def _first_y(order: int, x: float) -> float:
    """Y of order 0 or 1, near zero; that of order 1 is the other one's slope, downwards."""
    j = [bessel_j(k, x) for k in range(2 * (int(x) // 2 + 30) + 2)]
    terms, logarithm = range(1, len(j) // 2), math.log(x / 2) + _EULER
    if order == 0:
        series = math.fsum((-1) ** (k + 1) * j[2 * k] / k for k in terms)
        return 2 / math.pi * (logarithm * j[0] + 2 * series)
    series = math.fsum((-1) ** (k + 1) * (j[2 * k - 1] - j[2 * k + 1]) / k for k in terms)
    return 2 / math.pi * (logarithm * j[1] - j[0] / x - series)


def bessel_y(order: float, x: float) -> float:
    """Of the second kind, of an order that is an integer: the recurrence from orders 0 and 1."""
    n = int(order)
    if math.isnan(x) or x < 0:
        return math.nan
    sign = -1.0 if n < 0 and n % 2 else 1.0
    if x == 0 or math.isinf(x):
        return 0.0 if x else -sign * math.inf
    below, here = ((_hankel(k, x)[1] if x > _FAR else _first_y(k, x)) for k in (0, 1))
    if n == 0:
        return below
    for k in range(1, abs(n)):
        below, here = here, 2 * k / x * here - below
        if math.isinf(here):
            break
    return sign * here


def bessel_i(order: float, x: float) -> float:
    """Modified, of the first kind, of an order that is an integer."""
    n = abs(int(order))
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else math.copysign(x, x if n % 2 else 1.0)
    size = abs(x)
    if n and not size:
        return x
    points = 2 * n + 60 + int(10 * math.sqrt(size))
    if points > 100_000:
        return math.copysign(math.inf, x if n % 2 else 1.0)
    mean = _turn(points, lambda angle: math.exp(size * (math.cos(angle) - 1)) * math.cos(n * angle))
    half = math.exp(size / 2)
    return math.copysign(half * mean * half, x if n % 2 else 1.0)


def erfcx(x: float) -> float:
    """``exp(x * x) * erfc(x)``."""
    if x < 5:
        return math.exp(x * x) * math.erfc(x)
    rest = 0.0
    for k in range(60, 0, -1):
        rest = k / 2 / (x + rest)
    return 1 / (x + rest) / math.sqrt(math.pi)


def erfcinv(y: float) -> float:
    """The number of which ``erfc`` is this: Newton's steps from the normal distribution's quantile."""
    from statistics import NormalDist  # which few programs need, and which takes its time

    if y in (0, 2):
        return math.copysign(math.inf, 1 - y)
    if not 0 < y < 2:
        return math.nan
    root = -NormalDist().inv_cdf(y / 2) / math.sqrt(2)
    for _ in range(2):
        root += (math.erfc(root) - y) * math.sqrt(math.pi) / 2 * math.exp(root * root)
    return root

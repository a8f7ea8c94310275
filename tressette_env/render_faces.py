"""Card faces drawn as vector shapes with pygame: the four Italian suits, pips and figures.

Shapes are given in units of a square from -1 to 1 around a centre, y downwards, and drawn large; a face is
then scaled down smoothly to the size wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from math import cos, pi, sin

import pygame

from tressette_env.cards import NUM_RANKS, RANKS, SUITS

Color = tuple[int, int, int]
Point = tuple[float, float]

WIDTH, HEIGHT = 84, 134
_DETAIL = 5  # how much larger than shown a face is drawn
_IVORY, _EDGE, _BACK, _BACK_LINE = (251, 247, 236), (150, 138, 118), (124, 38, 46), (226, 190, 140)
_GOLD, _DARK_GOLD, _SKIN, _STEEL = (233, 183, 52), (150, 104, 12), (240, 205, 170), (150, 178, 214)
_INK: dict[str, Color] = {"D": (158, 104, 0), "C": (176, 32, 44), "S": (34, 68, 150), "B": (30, 108, 52)}
_ROBE: dict[str, Color] = {"D": (222, 160, 40), "C": (200, 62, 66), "S": (70, 108, 190), "B": (64, 146, 84)}
# Where the pips stand, in units of half the field of pips.
_PIPS: dict[str, list[Point]] = {
    "A": [(0, 0)],
    "2": [(0, -0.8), (0, 0.8)],
    "3": [(0, -1), (0, 0), (0, 1)],
    "4": [(x, y) for x in (-1.0, 1.0) for y in (-0.8, 0.8)],
    "5": [(x, y) for x in (-1.0, 1.0) for y in (-0.9, 0.9)] + [(0, 0)],
    "6": [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 0.0, 1.0)],
    "7": [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 0.0, 1.0)] + [(0, -0.5)],
}
_PIP_SIZE = {"A": 0.6, "2": 0.4, "3": 0.3, "4": 0.31, "5": 0.29, "6": 0.27, "7": 0.25}
_SLENDER = 1.2  # how much larger the thin suits are drawn


class _Pen:
    """Draws unit shapes around a centre."""

    def __init__(self, surface: pygame.Surface, center: Point, size: float) -> None:
        self.surface, self.size = surface, size
        self.x, self.y = center

    def at(self, point: Point) -> Point:
        return self.x + point[0] * self.size, self.y + point[1] * self.size

    def polygon(self, color: Color, points: Iterable[Point]) -> None:
        pygame.draw.polygon(self.surface, color, [self.at(point) for point in points])

    def circle(self, color: Color, center: Point, radius: float, width: float = 0.0) -> None:
        line = max(1, round(width * self.size)) if width else 0
        pygame.draw.circle(self.surface, color, self.at(center), radius * self.size, line)

    def ellipse(self, color: Color, left: float, top: float, width: float, height: float) -> None:
        x, y = self.at((left, top))
        pygame.draw.ellipse(self.surface, color, pygame.Rect(x, y, width * self.size, height * self.size))

    def box(self, color: Color, left: float, top: float, width: float, height: float, radius: float = 0.0) -> None:
        x, y = self.at((left, top))
        rect = pygame.Rect(round(x), round(y), round(width * self.size), round(height * self.size))
        pygame.draw.rect(self.surface, color, rect, border_radius=round(radius * self.size))


def _coin(pen: _Pen) -> None:
    pen.circle(_DARK_GOLD, (0, 0), 0.95)
    pen.circle(_GOLD, (0, 0), 0.86)
    pen.circle(_DARK_GOLD, (0, 0), 0.66, width=0.07)
    for petal in range(8):
        angle = petal * pi / 4
        tip = (0.52 * cos(angle), 0.52 * sin(angle))
        side = (0.2 * cos(angle + pi / 8), 0.2 * sin(angle + pi / 8))
        other = (0.2 * cos(angle - pi / 8), 0.2 * sin(angle - pi / 8))
        pen.polygon(_INK["C"] if petal % 2 else _DARK_GOLD, [(0, 0), side, tip, other])
    pen.circle(_GOLD, (0, 0), 0.14)


def _cup(pen: _Pen) -> None:
    red, dark = _ROBE["C"], _INK["C"]
    pen.polygon(_DARK_GOLD, [(-0.14, 0.2), (0.14, 0.2), (0.2, 0.72), (-0.2, 0.72)])
    pen.ellipse(_GOLD, -0.55, 0.62, 1.1, 0.34)
    pen.circle(_GOLD, (0, 0.36), 0.2)
    pen.polygon(red, [(-0.72, -0.62), (0.72, -0.62), (0.62, -0.1), (0.36, 0.2), (-0.36, 0.2), (-0.62, -0.1)])
    pen.ellipse(red, -0.5, -0.1, 1.0, 0.46)
    pen.polygon(_GOLD, [(-0.69, -0.42), (0.69, -0.42), (0.66, -0.24), (-0.66, -0.24)])
    pen.ellipse(_GOLD, -0.76, -0.84, 1.52, 0.42)
    pen.ellipse(dark, -0.62, -0.77, 1.24, 0.28)


def _sword(pen: _Pen) -> None:
    dark = _INK["S"]
    pen.polygon(dark, [(0, -1), (0.2, -0.74), (0.16, 0.42), (-0.16, 0.42), (-0.2, -0.74)])
    pen.polygon(_STEEL, [(0, -0.9), (0.12, -0.7), (0.09, 0.4), (-0.09, 0.4), (-0.12, -0.7)])
    pen.box(dark, -0.025, -0.66, 0.05, 1.06)
    pen.box(_DARK_GOLD, -0.5, 0.38, 1.0, 0.17, radius=0.08)
    pen.circle(_GOLD, (-0.48, 0.465), 0.13)
    pen.circle(_GOLD, (0.48, 0.465), 0.13)
    pen.box(_INK["C"], -0.1, 0.54, 0.2, 0.3)
    pen.circle(_GOLD, (0, 0.88), 0.15)


def _club(pen: _Pen) -> None:
    dark, light = _INK["B"], _ROBE["B"]
    outline = [(-0.3, -0.8), (0, -0.98), (0.3, -0.8), (0.34, -0.5), (0.13, 0.8), (0, 0.97), (-0.13, 0.8), (-0.34, -0.5)]
    pen.polygon(dark, outline)
    pen.polygon(light, [(x * 0.68, y * 0.9) for x, y in outline])
    for x, y in ((-0.3, -0.34), (0.28, -0.12), (-0.2, 0.2)):
        pen.circle(dark, (x, y), 0.15)
        pen.circle((196, 160, 92), (x, y), 0.075)
    pen.box(_GOLD, -0.2, 0.46, 0.4, 0.11)


_SUIT_SHAPES: dict[str, Callable[[_Pen], None]] = {"D": _coin, "C": _cup, "S": _sword, "B": _club}


def _king(pen: _Pen, robe: Color, dark: Color) -> None:
    _bust(pen, robe, dark)
    pen.polygon((120, 84, 52), [(-0.3, -0.22), (0.3, -0.22), (0.22, 0.12), (0, 0.26), (-0.22, 0.12)])
    pen.ellipse(_SKIN, -0.3, -0.5, 0.6, 0.46)
    _eyes(pen, -0.28)
    pen.polygon(
        _DARK_GOLD, [(-0.4, -0.4), (-0.46, -0.92), (-0.2, -0.66), (0, -1), (0.2, -0.66), (0.46, -0.92), (0.4, -0.4)]
    )
    pen.polygon(
        _GOLD, [(-0.34, -0.46), (-0.38, -0.76), (-0.19, -0.56), (0, -0.86), (0.19, -0.56), (0.38, -0.76), (0.34, -0.46)]
    )
    for x, y in ((-0.46, -0.92), (0, -1), (0.46, -0.92)):
        pen.circle(_INK["C"], (x, y), 0.07)


def _page(pen: _Pen, robe: Color, dark: Color) -> None:
    _bust(pen, robe, dark)
    pen.ellipse((156, 104, 52), -0.4, -0.6, 0.8, 0.74)
    pen.ellipse(_SKIN, -0.28, -0.5, 0.56, 0.6)
    _eyes(pen, -0.2)
    pen.polygon(dark, [(-0.46, -0.42), (-0.36, -0.74), (0.3, -0.8), (0.48, -0.46)])
    pen.polygon(robe, [(-0.36, -0.5), (-0.28, -0.68), (0.24, -0.73), (0.36, -0.53)])
    pen.polygon(_INK["C"], [(0.2, -0.7), (0.5, -1), (0.74, -0.92), (0.46, -0.78), (0.34, -0.6)])


def _knight(pen: _Pen, robe: Color, dark: Color) -> None:
    head = [(-0.5, 0.95), (-0.36, 0.3), (-0.44, -0.28), (-0.2, -0.7), (-0.16, -0.98), (0.04, -0.78), (0.22, -0.72)]
    head += [
        (0.4, -0.42),
        (0.72, 0.02),
        (0.68, 0.24),
        (0.46, 0.3),
        (0.3, 0.12),
        (0.12, 0.14),
        (0.24, 0.5),
        (0.46, 0.95),
    ]
    pen.polygon(dark, head)
    pen.polygon((238, 228, 208), [(x * 0.87, y * 0.9 + 0.05) for x, y in head])
    mane = [
        (-0.42, 0.8),
        (-0.56, 0.3),
        (-0.62, -0.2),
        (-0.34, -0.7),
        (-0.14, -0.74),
        (-0.3, -0.3),
        (-0.22, 0.2),
        (-0.24, 0.7),
    ]
    pen.polygon(robe, mane)
    pen.circle(dark, (0.14, -0.36), 0.07)
    pen.circle(dark, (0.56, 0.1), 0.05)
    pen.polygon(_DARK_GOLD, [(0.26, -0.2), (0.34, -0.24), (0.5, 0.22), (0.42, 0.26)])
    pen.polygon(_DARK_GOLD, [(0.3, -0.2), (0.28, -0.08), (-0.2, 0.22), (-0.2, 0.1)])
    pen.box(_GOLD, -0.56, 0.8, 1.06, 0.17, radius=0.06)


_FIGURE_SHAPES: dict[str, Callable[[_Pen, Color, Color], None]] = {"F": _page, "C": _knight, "R": _king}


def _bust(pen: _Pen, robe: Color, dark: Color) -> None:
    pen.polygon(dark, [(-0.8, 0.97), (-0.7, 0.36), (-0.3, 0.1), (0.3, 0.1), (0.7, 0.36), (0.8, 0.97)])
    pen.polygon(robe, [(-0.7, 0.97), (-0.61, 0.43), (-0.26, 0.2), (0.26, 0.2), (0.61, 0.43), (0.7, 0.97)])
    pen.polygon(_GOLD, [(-0.26, 0.16), (0.26, 0.16), (0.12, 0.97), (-0.12, 0.97)])
    pen.polygon(_SKIN, [(-0.14, 0), (0.14, 0), (0.14, 0.2), (0, 0.34), (-0.14, 0.2)])


def _eyes(pen: _Pen, height: float) -> None:
    pen.circle((50, 40, 36), (-0.11, height), 0.045)
    pen.circle((50, 40, 36), (0.11, height), 0.045)


def _blank(color: Color) -> pygame.Surface:
    """Return an empty card at full detail."""
    size = (WIDTH * _DETAIL, HEIGHT * _DETAIL)
    surface = pygame.Surface(size, pygame.SRCALPHA)
    pygame.draw.rect(surface, _EDGE, pygame.Rect((0, 0), size), border_radius=9 * _DETAIL)
    inner = pygame.Rect((0, 0), size).inflate(-2 * _DETAIL, -2 * _DETAIL)
    pygame.draw.rect(surface, color, inner, border_radius=8 * _DETAIL)
    return surface


def _scaled(surface: pygame.Surface, scale: float) -> pygame.Surface:
    return pygame.transform.smoothscale(surface, (round(WIDTH * scale), round(HEIGHT * scale)))


@cache
def _detailed_face(card: int) -> pygame.Surface:
    suit, rank = SUITS[card // NUM_RANKS], RANKS[card % NUM_RANKS]
    surface = _blank(_IVORY)
    width, height = surface.get_size()
    if rank in _FIGURE_SHAPES:
        _FIGURE_SHAPES[rank](_Pen(surface, (width * 0.5, height * 0.52), width * 0.36), _ROBE[suit], _INK[suit])
    else:
        size = width * 0.5 * _PIP_SIZE[rank] * (_SLENDER if suit in "SB" else 1)
        for x, y in _PIPS[rank]:
            _SUIT_SHAPES[suit](_Pen(surface, (width * (0.5 + 0.21 * x), height * (0.5 + 0.24 * y)), size))
    _draw_index(surface, suit, rank)
    return surface


def _draw_index(surface: pygame.Surface, suit: str, rank: str) -> None:
    """Draw rank and suit into the upper left corner and, upside down, into the lower right."""
    width, height = surface.get_size()
    corner = pygame.Surface((round(width * 0.55), round(height * 0.2)), pygame.SRCALPHA)
    letter = pygame.font.Font(None, 25 * _DETAIL).render(rank, True, _INK[suit])
    corner.blit(letter, letter.get_rect(center=(12 * _DETAIL, 14 * _DETAIL)))
    _SUIT_SHAPES[suit](_Pen(corner, (29 * _DETAIL, 13 * _DETAIL), 8 * _DETAIL))
    surface.blit(corner, (0, 0))
    turned = pygame.transform.rotate(corner, 180)
    surface.blit(turned, (width - turned.get_width(), height - turned.get_height()))


@lru_cache(maxsize=256)
def face(card: int, scale: float = 1.0) -> pygame.Surface:
    """Return the face of a card, `scale` times ``WIDTH`` by ``HEIGHT`` pixels."""
    return _scaled(_detailed_face(card), scale)


@lru_cache(maxsize=4)
def back(scale: float = 1.0) -> pygame.Surface:
    """Return the back of a card."""
    surface = _blank(_BACK)
    width, height = surface.get_size()
    pygame.draw.rect(
        surface, _BACK_LINE, surface.get_rect().inflate(-10 * _DETAIL, -10 * _DETAIL), _DETAIL, 4 * _DETAIL
    )
    for row in range(5):
        for column in range(3):
            pen = _Pen(surface, (width * (0.26 + 0.24 * column), height * (0.18 + 0.16 * row)), 6 * _DETAIL)
            pen.polygon(_BACK_LINE, [(0, -1), (0.7, 0), (0, 1), (-0.7, 0)])
            pen.polygon(_BACK, [(0, -0.6), (0.4, 0), (0, 0.6), (-0.4, 0)])
    return _scaled(surface, scale)

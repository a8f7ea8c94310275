"""A scene drawn with cards, for ``render_mode="rgb_array"`` and ``"human"`` (needs pygame-ce)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pygame

from tressette_env import render_faces as faces
from tressette_env.render import Scene
from tressette_env.render_faces import HEIGHT, WIDTH, Color

SIZE = (1200, 800)
_BOARD = pygame.Rect(0, 0, 880, 800)
_PANEL = pygame.Rect(880, 0, 320, 800)
_FELT, _FELT_EDGE, _PANEL_COLOR, _RULE = (38, 104, 72), (27, 76, 54), (30, 34, 40), (70, 78, 90)
_TEXT, _FAINT, _ACCENT = (236, 236, 228), (168, 176, 186), (246, 200, 72)
_MARGIN = 26
_STEP = 57  # from one card of a horizontal hand to the next
_VERTICAL_STEP = 47
_RAISED = 12  # how far a card that may be played stands out
_TEXT_DETAIL = 3
_LEGEND = "framed: known to all; raised: may be played"
_SMALL = 0.6
_TINY = 0.44


class CardTable:
    """Draws scenes, off screen or in a window that opens with the first scene.

    `window`: show the scenes; `fps`: scenes shown a second at most.
    """

    def __init__(self, window: bool, fps: int) -> None:
        pygame.font.init()
        self._window = window
        self._fps = fps
        self._screen: pygame.Surface | None = None
        self._closed = False
        self._clock = pygame.time.Clock()

    def draw(self, scene: Scene) -> npt.NDArray[np.uint8] | None:
        """Return the scene as (800, 1200, 3) uint8, or show it and return None."""
        if not self._window:
            pixels = pygame.surfarray.array3d(_picture(scene))
            return np.ascontiguousarray(pixels.transpose(1, 0, 2))
        self._show(scene)
        return None

    def _show(self, scene: Scene) -> None:
        if self._closed:
            return
        if self._screen is None:
            pygame.display.init()
            self._screen = pygame.display.set_mode(SIZE)
            pygame.display.set_caption("Tressette")
        self._screen.blit(_picture(scene), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._fps)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()

    def close(self) -> None:
        """Close the window for good."""
        if self._screen is not None:
            pygame.display.quit()
        self._screen, self._closed = None, True


def _picture(scene: Scene) -> pygame.Surface:
    surface = pygame.Surface(SIZE)
    surface.fill(_FELT_EDGE)
    pygame.draw.rect(surface, _FELT, _BOARD.inflate(-16, -16), border_radius=26)
    pygame.draw.rect(surface, _PANEL_COLOR, _PANEL)
    for seat in range(scene.rules.seats):
        _draw_hand(surface, scene, seat)
        _draw_name(surface, scene, seat)
    if scene.stock:
        _draw_stock(surface, scene.stock)
    if scene.result is None:
        _draw_trick(surface, scene)
    else:
        _draw_result(surface, scene)
    _draw_panel(surface, scene)
    return surface


@cache
def _font(size: int) -> pygame.font.Font:
    return pygame.font.Font(None, size)


def _text(text: str, size: int, color: Color) -> pygame.Surface:
    """Return text drawn large and scaled down, which spaces the letters evenly."""
    image = _font(size * _TEXT_DETAIL).render(text, True, color)
    return pygame.transform.smoothscale(image, (image.get_width() // _TEXT_DETAIL, image.get_height() // _TEXT_DETAIL))


def _write(
    surface: pygame.Surface,
    text: str,
    position: tuple[float, float],
    size: int = 22,
    color: Color = _TEXT,
    anchor: str = "topleft",
) -> pygame.Rect:
    """Write text with its `anchor` (a name of a point of a pygame rectangle) at `position`."""
    image = _text(text, size, color)
    rect = image.get_rect(**{anchor: position})
    surface.blit(image, rect)
    return rect


def _place(scene: Scene, seat: int) -> int:
    """Return where a seat sits: 0 below, 1 right, 2 above, 3 left; play goes round counter-clockwise."""
    return seat * 2 if scene.rules.seats == 2 else seat


def _draw_hand(surface: pygame.Surface, scene: Scene, seat: int) -> None:
    place, cards = _place(scene, seat), scene.hands[seat]
    upright = place % 2 == 0
    step = _STEP if upright else _VERTICAL_STEP
    length = step * (len(cards) - 1) + (WIDTH if upright else HEIGHT)
    start = ((_BOARD.width if upright else _BOARD.height) - length) // 2
    for index, card in enumerate(cards):
        raised = _RAISED if scene.legal >> card & 1 else 0
        x, y = start + index * step, start + index * step
        if place == 0:
            y = _BOARD.bottom - _MARGIN - HEIGHT - raised
        elif place == 1:
            x = _BOARD.right - _MARGIN - WIDTH - raised
        elif place == 2:
            y = _MARGIN + raised
        else:
            x = _MARGIN + raised
        _draw_card(surface, card, (x, y), marked=bool(scene.known[seat] >> card & 1))


def _draw_card(
    surface: pygame.Surface, card: int, corner: tuple[int, int], marked: bool = False, scale: float = 1.0
) -> None:
    image = faces.face(card, scale)
    surface.blit(image, corner)
    if marked:
        frame = image.get_rect(topleft=corner)
        pygame.draw.rect(surface, _ACCENT, frame, 3, border_radius=round(9 * scale))


def _draw_name(surface: pygame.Surface, scene: Scene, seat: int) -> None:
    middle = {0: (440, 604), 1: (734, 400), 2: (440, 196), 3: (146, 400)}[_place(scene, seat)]
    turn = seat == scene.player
    text = f"player_{seat}" + (" deals" if seat == scene.dealer else "")
    image = _text(text, 24, _PANEL_COLOR if turn else _TEXT)
    if _place(scene, seat) % 2:
        image = pygame.transform.rotate(image, 90)
    rect = image.get_rect(center=middle)
    pygame.draw.rect(surface, _ACCENT if turn else _FELT_EDGE, rect.inflate(22, 14), border_radius=14)
    surface.blit(image, rect)


def _draw_trick(surface: pygame.Surface, scene: Scene) -> None:
    centers = {0: (440, 474), 1: (544, 400), 2: (440, 326), 3: (336, 400)}
    if scene.rules.seats == 2:
        centers = {0: (440, 474), 2: (440, 326)}
    for seat, card in scene.trick:
        x, y = centers[_place(scene, seat)]
        _draw_card(surface, card, (x - WIDTH // 2, y - HEIGHT // 2))


def _draw_stock(surface: pygame.Surface, cards: int) -> None:
    corner = pygame.Rect(70, 330, WIDTH, HEIGHT)
    for layer in range(min(cards, 20) // 2):
        surface.blit(faces.back(), corner.move(-layer, -layer))
    _write(surface, f"stock: {cards}", (corner.centerx, corner.bottom + 14), anchor="midtop")


def _draw_result(surface: pygame.Surface, scene: Scene) -> None:
    box = pygame.Rect(0, 0, 500, 120)
    box.center = (440, 400)
    pygame.draw.rect(surface, _PANEL_COLOR, box, border_radius=18)
    pygame.draw.rect(surface, _ACCENT, box, 2, border_radius=18)
    _write(surface, scene.progress(), (440, 374), 24, _FAINT, "center")
    outcome = scene.outcome()
    _write(surface, outcome, (440, 416), 46 if len(outcome) < 24 else 29, _ACCENT, "center")


def _draw_panel(surface: pygame.Surface, scene: Scene) -> None:
    left, right = _PANEL.left + 22, _PANEL.right - 22
    _write(surface, "Tressette", (left, 24), 40)
    _write(surface, scene.title(), (left, 64), 22)
    _write(surface, scene.progress(), (left, 88), 22, _FAINT)
    top = _draw_counts(surface, scene, left, right, 126)
    if scene.last_trick:
        _write(surface, "last trick", (left, top), 21, _FAINT)
        winner = scene.winner_of_last_trick()
        for index, (seat, card) in enumerate(scene.last_trick):
            x = left + index * 70
            _draw_card(surface, card, (x, top + 24), marked=seat == winner, scale=_SMALL)
            middle = x + int(WIDTH * _SMALL) // 2
            _write(surface, f"p{seat}", (middle, top + 110), 20, _ACCENT if seat == winner else _TEXT, "midtop")
    top += 142
    _write(surface, _LEGEND, (left, _PANEL.bottom - 22), 19, _FAINT, "bottomleft")
    for seat, cards in enumerate(scene.declared):
        if cards:
            _write(surface, f"player_{seat} declared", (left, top), 21, _FAINT)
            step = min(36, (right - left - int(WIDTH * _TINY)) // max(len(cards) - 1, 1))
            for index, card in enumerate(cards):
                _draw_card(surface, card, (left + index * step, top + 20), scale=_TINY)
            top += 90


def _draw_counts(surface: pygame.Surface, scene: Scene, left: int, right: int, top: int) -> int:
    """Draw the table of what each side has; return the line below it."""
    columns = (right - 92, right)
    for side, x in enumerate(columns):
        for line, seat in enumerate(range(side, scene.rules.seats, 2)):
            _write(surface, f"player_{seat}", (x, top + 17 * line), 21, _FAINT, "topright")
    top += 17 * (scene.rules.seats // 2) + 8
    for name, values in _rows(scene):
        pygame.draw.line(surface, _RULE, (left, top), (right, top))
        _write(surface, name, (left, top + 9), 23)
        for value, x in zip(values, columns, strict=True):
            _write(surface, str(value), (x, top + 7), 28, anchor="topright")
        top += 33
    return top + 14


def _rows(scene: Scene) -> list[tuple[str, tuple[int, ...]]]:
    rows = [
        ("tricks", (sum(scene.tricks[0::2]), sum(scene.tricks[1::2]))),
        ("thirds", scene.thirds),
        ("points", scene.points),
    ]
    if scene.points_of_last_deal is not None:
        rows.append(("last deal", scene.points_of_last_deal))
    if scene.kind == "match" or any(scene.scores):
        rows.append((scene.score_name(), scene.scores))
    return rows

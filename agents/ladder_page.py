"""A ladder as one HTML page, with pictures and without scripts; it loads nothing."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.arena import FloatArray
from agents.ladder_report import RANKED_HEADINGS, explanation, heading, means_between, ranked_rows

_WIDTH = 9.0  # inches, of the pictures
_BLUE, _GREY, _DARK = "#2166ac", "#bbbbbb", "#1a1a1a"
_LOSING, _WINNING = np.array([214, 96, 77]), np.array([67, 147, 195])  # at full strength; white is 0
_LABEL_HEIGHT, _LABEL_WIDTH = 0.045, 0.0105  # of a label, of a letter of it, as shares of the picture of times
_STYLE = f"""
body {{ font-family: "DejaVu Sans", Verdana, Arial, sans-serif; color: {_DARK}; background: #fff; margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; line-height: 1.45; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin-top: 2.5rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .55rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }}
th.name, td.name {{ text-align: left; font-weight: normal; }}
.map td {{ border: 1px solid #fff; text-align: center; padding: .25rem .4rem; }}
.map th {{ border: 0; text-align: center; }} .map th.name {{ text-align: left; }}
.map small {{ display: block; }}
figure {{ margin: 0; }} svg {{ max-width: 100%; height: auto; }}
"""


def ladder_page(report: dict[str, Any], shown: Mapping[str, str]) -> str:
    """Return the page of a report of ``evaluate.py ladder``; `shown`: the players' names for people."""
    title = f"Tressette ladder: {report['variant']}"
    pictured = report | {"players": [row | {"player": shown[row["player"]]} for row in report["players"]]}
    stopped = "" if report["complete"] else "<p><strong>Stopped early: completed matches only.</strong></p>"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{escape(heading(report))}.</p>
{stopped}
{_ranked_table(report, shown)}
<p>{escape(explanation(report))}.</p>
<h2>Points per deal, each against each</h2>
<p>Of the player on the left against the one above, with half the width of the 95&#8239;% interval;
blue is won, red is lost.</p>
{_heat_map(report, shown)}
<h2>Ratings</h2>
{_picture("ratings", _draw_ratings, pictured, "Bars: the rating of each player with its interval, as in the table.")}
<h2>Strength against time</h2>
{_picture("times", _draw_times, pictured, "Points: strength over milliseconds per decision, as in the table.")}
</body>
</html>
"""


def _ranked_table(report: dict[str, Any], shown: Mapping[str, str]) -> str:
    headings = "".join(
        f'<th scope="col"{_name_class(index)}>{escape(heading)}</th>' for index, heading in enumerate(RANKED_HEADINGS)
    )
    rows = "\n".join(
        f"<tr>{''.join(f'<td{_name_class(index)}>{escape(cell)}</td>' for index, cell in enumerate(row))}</tr>"
        for row in ranked_rows(report, shown)
    )
    return f'<div class="wide"><table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def _name_class(column: int) -> str:
    return ' class="name"' if column == 1 else ""


def _heat_map(report: dict[str, Any], shown: Mapping[str, str]) -> str:
    """Return the matrix as a table with coloured cells."""
    names = [row["player"] for row in report["players"]]
    means = means_between(report)
    most = max((abs(mean) for mean, _ in means.values()), default=0) or 1
    columns = "".join(
        f'<th scope="col" title="{escape(shown[name])}">{place}</th>' for place, name in enumerate(names, 1)
    )
    rows = []
    for place, name in enumerate(names, 1):
        cells = "".join(_cell(means.get((name, other)), most) for other in names)
        heads = f'<th scope="row">{place}</th><th scope="row" class="name">{escape(shown[name])}</th>'
        rows.append(f"<tr>{heads}{cells}</tr>")
    body = "\n".join(rows)
    return (
        '<div class="wide"><table class="map">\n'
        f'<thead><tr><th></th><th scope="col" class="name">player</th>{columns}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(found: tuple[float, float] | None, most: float) -> str:
    if found is None:
        return "<td></td>"
    mean, half_width = found
    share = min(abs(mean) / most, 1) ** 0.5  # the root: small differences show too
    colour = np.round(255 + ((_WINNING if mean > 0 else _LOSING) - 255) * share * 0.8).astype(int)
    interval = "" if np.isnan(half_width) else f"<small>±{half_width:.2f}</small>"
    return f'<td style="background:rgb({",".join(map(str, colour))})">{mean:+.2f}{interval}</td>'


def _draw_ratings(report: dict[str, Any]) -> Figure:
    """Return bars of the ratings, the first player on top."""
    rows = [row for row in report["players"] if not np.isnan(row["rating"])]
    figure, axes = _new_figure(0.9 + 0.34 * len(rows))
    ratings = np.array([row["rating"] for row in rows])
    ends = np.array([row["rating_ci95"] for row in rows]).reshape(-1, 2)
    places = np.arange(len(rows))
    axes.barh(places, ratings, color=_BLUE, height=0.6)
    axes.hlines(places, ends[:, 0], ends[:, 1], color=_DARK, linewidth=2.5)
    axes.axvline(0, color=_DARK, linewidth=0.8)
    axes.set_yticks(places, [row["player"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"rating, {report['anchor']} = 0")
    axes.grid(axis="x", color="#dddddd")
    return figure


def _draw_times(report: dict[str, Any]) -> Figure:
    """Return points per deal over the field against time, one labelled mark a player."""
    rows = [row for row in report["players"] if row["ms_per_decision"] > 0 and not np.isnan(row["score"])]
    figure, axes = _new_figure(5.0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xlabel("milliseconds per unforced decision (logarithmic)")
    axes.set_ylabel("points per deal over the field")
    axes.grid(color="#dddddd")
    if not rows:
        return figure
    times = np.array([row["ms_per_decision"] for row in rows])
    scores = np.array([row["score"] for row in rows])
    ends = np.array([row["ci95"] for row in rows])
    axes.vlines(times, ends[:, 0], ends[:, 1], color=_DARK)
    axes.plot(times, scores, "o", color=_BLUE)
    axes.set_xlim(times.min() / 2, times.max() * 60)  # room for the names
    axes.margins(y=0.15)
    axes.autoscale_view(scalex=False)
    names = [row["player"] for row in rows]
    across = axes.transAxes.inverted().transform(axes.transData.transform(np.column_stack([times, scores])))
    for name, time, score, (left, bottom) in zip(names, times, scores, label_places(names, across), strict=True):
        axes.annotate(
            name,
            (time, score),
            (left, bottom),
            textcoords="axes fraction",
            arrowprops={"arrowstyle": "-", "color": _GREY, "relpos": (0, 0.5)},
            verticalalignment="center",
            fontsize=8,
        )
    return figure


def label_places(names: Sequence[str], marks: FloatArray) -> FloatArray:
    """Return where the labels of marks begin, (n, 2), so that none covers another.

    All in shares of the picture, like `marks` (n, 2), from the highest mark to the lowest: each label is to the right
    of its mark, and below the labels before it where it would cover one.
    """
    places: FloatArray = marks + np.array([_LABEL_WIDTH, 0.0])
    ends = places[:, 0] + _LABEL_WIDTH * np.array([len(name) for name in names])
    for index in range(len(names)):
        beside = (places[:index, 0] < ends[index]) & (places[index, 0] < ends[:index])
        for height in np.sort(places[:index, 1][beside])[::-1]:
            if abs(places[index, 1] - height) < _LABEL_HEIGHT:
                places[index, 1] = height - _LABEL_HEIGHT
    return places


def _new_figure(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    return figure, axes


def _picture(name: str, draw: Callable[[dict[str, Any]], Figure], report: dict[str, Any], text: str) -> str:
    """Return a drawing as inline SVG, its ids beginning with `name`, with a text for who can not see it."""
    file = io.StringIO()
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": name, "font.family": ["DejaVu Sans"], "text.parse_math": False}
    ):
        draw(report).savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    drawn = file.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    for reference in (' id="', "url(#", 'href="#'):
        drawn = drawn.replace(reference, f"{reference}{name}-")
    drawn = re.sub("^<svg", f'<svg role="img" aria-label="{escape(text)}"', drawn)
    return f"<figure>\n{drawn}</figure>"

"""The page of a ladder."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np

from agents.ladder_page import label_places, ladder_page
from tests.ladder_results import made_report


class Tags(HTMLParser):
    """Checks that tags are closed in order; gathers texts, ids and what elements refer to."""

    EMPTY = frozenset({"meta", "path", "use", "rect", "line", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        self.ids += [str(value) for name, value in attributes if name == "id"]
        self.links += [str(value) for name, value in attributes if name in ("src", "href", "xlink:href")]
        if tag == "meta":
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone_and_shows_every_name() -> None:
    names = ["rules", "<script>alert(1)</script>", 'a & $x_1$ "q"']
    page = ladder_page(made_report(names), {name: name for name in names})
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.tags
    assert {"table", "svg"} <= tags.tags
    for name in names:
        assert tags.text.count(name) >= 4  # ranked table, matrix, both pictures
    assert "<script" not in page
    addresses = set(re.findall(r"https?://[^\"' )]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert all(link.startswith("#") for link in tags.links)
    assert len(set(tags.ids)) == len(tags.ids)
    assert {link.removeprefix("#") for link in tags.links} <= set(tags.ids)
    assert "+6.00" in tags.text
    assert page.count('role="img" aria-label="') == 2


def test_one_report_makes_one_page() -> None:
    names = ["rules", "b", "c"]
    report, shown = made_report(names), {name: name for name in names}
    assert ladder_page(report, shown) == ladder_page(report, shown)


def test_labels_do_not_cover_each_other() -> None:
    marks = np.array([[0.1, 0.9], [0.12, 0.89], [0.11, 0.885], [0.7, 0.88], [0.1, 0.2]])
    places = label_places(["first", "second", "third", "far", "low"], marks)
    near = places[:3, 1]
    assert (np.diff(near) < -0.04).all()
    assert places[3:, 1].tolist() == [0.88, 0.2]
    assert (places[:, 0] > marks[:, 0]).all()

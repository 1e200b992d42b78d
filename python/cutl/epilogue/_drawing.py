"""Draws a graph as SVG, in layers from what is read to what is written."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from ._binding import Typed
from ._graph import CONSTANT, CONVERT, LOAD, PERMUTE, REDUCE, RESHAPE, Graph, Node
from ._layout import Domain, Layout

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 132, 44, 22, 46, 16
_COLOURS = {
    "accumulator": "#cfe3ff",
    "input": "#e3f4e1",
    "number": "#f4f1de",
    "op": "#ffffff",
    "layout": "#eeeeee",
    "reduction": "#ffe3d3",
    "result": "#fff0b8",
}
_SIGNS = {
    "add": "a + b", "sub": "a - b", "mul": "a × b", "div": "a / b", "neg": "-a", "select": "where",
    "eq": "a = b", "ne": "a ≠ b", "lt": "a < b", "le": "a ≤ b", "gt": "a > b", "ge": "a ≥ b",
}  # fmt: skip


@dataclass
class _Box:
    title: str
    detail: str
    kind: str
    operands: tuple[int, ...]
    layer: int = 0
    column: float = 0.0


def draw(graph: Graph, domain: Domain, arrays: dict[str, Typed]) -> str:
    """The graph for arrays of given shapes."""
    boxes = _boxes(graph, domain, arrays)
    layers = _arrange(boxes)
    widest = max(len(layer) for layer in layers)
    width = 2 * _MARGIN + widest * _WIDTH + (widest - 1) * _GAP_X
    height = 2 * _MARGIN + len(layers) * _HEIGHT + (len(layers) - 1) * _GAP_Y
    centres: dict[int, tuple[float, float]] = {}
    for depth, layer in enumerate(layers):
        left = (width - len(layer) * _WIDTH - (len(layer) - 1) * _GAP_X) / 2
        for position, index in enumerate(layer):
            x = left + position * (_WIDTH + _GAP_X) + _WIDTH / 2
            centres[index] = (x, _MARGIN + depth * (_HEIGHT + _GAP_Y) + _HEIGHT / 2)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12" text-anchor="middle">',
        f"<title>{escape(graph.name)}</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ]
    for index, box in boxes.items():
        lines += [
            _edge(centres[operand], centres[index], slot, len(box.operands))
            for slot, operand in enumerate(box.operands)
        ]
    lines += [_draw_box(box, *centres[index]) for index, box in boxes.items()]
    return "\n".join([*lines, "</svg>", ""])


def _boxes(graph: Graph, domain: Domain, arrays: dict[str, Typed]) -> dict[int, _Box]:
    layout = Layout(graph, domain, {name: array.shape for name, (array, _) in arrays.items()})
    boxes: dict[int, _Box] = {}
    # Uses of one argument are one box.
    arguments: dict[str, int] = {}
    same: dict[int, int] = {}
    for index in graph.live():
        node = graph.nodes[index]
        if node.op == LOAD and node.name in arguments:
            same[index] = arguments[node.name]
            continue
        same[index] = index
        if node.op == LOAD:
            arguments[node.name] = index
        operands = tuple(same[operand] for operand in node.operands)
        boxes[index] = _box(graph, node, operands, layout.shape(index), arrays)
    for position, result in enumerate(graph.results):
        array, dtype = arrays[result.name]
        key = len(graph.nodes) + position
        boxes[key] = _Box(result.name, f"{dtype.name} {_text(array.shape)}", "result", (same[result.node],))
    return boxes


def _box(graph: Graph, node: Node, operands: tuple[int, ...], shape: tuple[int, ...], arrays: dict[str, Typed]) -> _Box:
    if node.op == LOAD and node.name in graph.accumulators():
        return _Box(node.name, f"accumulator {_text(shape)}", "accumulator", ())
    if node.op == LOAD and node.name in arrays:
        return _Box(node.name, f"{arrays[node.name][1].name} {_text(shape)}", "input", ())
    if node.op == LOAD:
        return _Box(node.name, "number", "number", ())
    if node.op == CONSTANT:
        return _Box(f"{node.numbers[0]:g}", "constant", "number", ())
    if node.op == REDUCE:
        return _Box({"add": "sum"}.get(node.combiner, node.combiner), f"over {_dims(node)}", "reduction", operands)
    if node.op in (PERMUTE, RESHAPE):
        return _Box(node.op, f"{_dims(node)} → {_text(shape)}", "layout", operands)
    if node.op == CONVERT and node.dtype is not None:
        return _Box(f"cast {node.dtype.name}", node.name or _text(shape), "op", operands)
    title = _SIGNS.get(node.op, node.op)
    if node.numbers:
        title += " " + ", ".join(f"{number:g}" for number in node.numbers)
    return _Box(title, node.name or _text(shape), "op", operands)


def _dims(node: Node) -> str:
    return "all" if node.dims is None else _text(node.dims)


def _text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) if shape else "scalar"


def _arrange(boxes: dict[int, _Box]) -> list[list[int]]:
    """Boxes in layers, below what they read, and in a layer near it."""
    for box in boxes.values():
        box.layer = max((boxes[operand].layer + 1 for operand in box.operands), default=0)
    # What is read is drawn just above where it is first used.
    for index, box in boxes.items():
        if not box.operands:
            users = [other.layer for other in boxes.values() if index in other.operands]
            box.layer = min(users) - 1
    layers: list[list[int]] = [[] for _ in range(max(box.layer for box in boxes.values()) + 1)]
    for index, box in boxes.items():
        layers[box.layer].append(index)
    for layer in layers:
        for index in layer:
            operands = boxes[index].operands
            if operands:
                boxes[index].column = sum(boxes[operand].column for operand in operands) / len(operands)
        layer.sort(key=lambda index: (boxes[index].column, index))
        for position, index in enumerate(layer):
            boxes[index].column = position - (len(layer) - 1) / 2
    return layers


def _edge(start: tuple[float, float], end: tuple[float, float], slot: int, slots: int) -> str:
    x = end[0] + (slot - (slots - 1) / 2) * min(24.0, _WIDTH / (slots + 1))
    y0, y1 = start[1] + _HEIGHT / 2, end[1] - _HEIGHT / 2
    middle = (y0 + y1) / 2
    return (
        f'<path d="M{start[0]:g} {y0:g}C{start[0]:g} {middle:g} {x:g} {middle:g} {x:g} {y1:g}" fill="none" stroke="#555"'
        ' marker-end="url(#arrow)"/>'
    )


def _draw_box(box: _Box, x: float, y: float) -> str:
    return (
        f'<g><rect x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"'
        f' fill="{_COLOURS[box.kind]}" stroke="#888"/>'
        f'<text x="{x:g}" y="{y - 4:g}" font-weight="bold">{escape(box.title)}</text>'
        f'<text x="{x:g}" y="{y + 13:g}" font-size="10" fill="#444">{escape(box.detail)}</text></g>'
    )

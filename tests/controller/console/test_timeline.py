"""The arithmetic of a timeline, in the browser that it runs in: no page is drawn here."""

from __future__ import annotations

from pathlib import Path

from controller.console.serving import Options
from tests.controller.console.demonstrating import browser
from tests.controller.console.served import console


async def test_the_line_holds_what_it_promises(tmp_path: Path) -> None:
    async with browser() as context, console(Options(port=0, run=tmp_path), []) as address:
        page = await context.new_page()
        await page.goto(address)
        assert await page.evaluate(_WALKS) == []
        assert await page.evaluate(_PLACES) == [0, 250, 500, 8500, 10500, 11500]
        assert await page.evaluate(_PLAYS) == [
            # At the pace of the round what came at once takes no time, and a wait is cut.
            [0, True], [2, True], [2, True], [3, True], [4, False],
            # Four times as fast.
            [2, True], [3, True], [4, False],
        ]  # fmt: skip
        assert await page.evaluate(_PARTS) == [2, 3, 4, 4, 3, 2, 0, 0, 2, 0]
        assert await page.evaluate(_ALONE) == [[0, 0, 1000], False]


#: Any walk over lines of every length, by everything that there is: what must never be so is said.
_WALKS = """async () => {
    const { Timeline } = await import("/static/js/timeline.js");
    const wrong = new Set();
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    for (const count of [1, 2, 3, 40, 600]) {
        const [times, waits] = [[1e12], [0, 3, 900, 9000, 1e7, -50]];
        while (times.length < count) times.push(times.at(-1) + waits[random(6)]);
        const line = new Timeline(times, times.map((_, index) => `part ${index >> 2}`));
        // The playhead is moved by one function and by no other.
        let [head, seeks] = [line.head, false];
        Object.defineProperty(line, "head", {
            get: () => head,
            set: (place) => {
                if (!seeks) wrong.add("it was moved beside seek");
                head = place;
            },
        });
        const { seek } = line;
        line.seek = (...given) => {
            seeks = true;
            seek.apply(line, given);
            seeks = false;
        };
        const moves = {
            seek: () => line.seek(random(20) / 10 * line.length - line.length / 2),
            step: () => line.step(random(2) ? 1 : -1),
            part: () => line.part(random(2) ? 1 : -1),
            first: () => line.first(),
            last: () => line.last(),
        };
        const others = {
            play: () => line.play(),
            pause: () => line.pause(),
            pass: () => { line.pace = [1, 4, 16][random(3)]; line.pass(random(3000)); },
            zoomIn: () => line.zoom(0.5),
            zoomOut: () => line.zoom(2),
            zoomToAll: () => line.zoomToAll(),
            zoomToOne: () => line.zoomToOne(),
            find: () => line.find(),
            pan: () => line.pan(random(2) ? 0.5 : -0.5),
        };
        const names = [...Object.keys(moves), ...Object.keys(others)];
        for (let turn = 0; turn < 3000; turn += 1) {
            const name = names[random(names.length)];
            const was = head;
            (moves[name] ?? others[name])();
            const say = (words) => wrong.add(`${words} (${name}, ${count} frames)`);
            if (name in moves && line.plays) say("it plays on after it was moved");
            const stays = !(name in moves) && !["pass", "play"].includes(name);
            if (stays && head !== was) say("it moved");
            if (!(head >= 0 && head <= line.length)) say("it is beyond the line");
            if (!(line.from >= 0 && line.to <= line.length && line.from < line.to)) say("no view");
            if (!line.away && !line.sees(head)) say("it left the view unasked");
            if (line.away && name in moves) say("it was moved and is not seen");
            const { index } = line;
            if (line.one && (line.from !== line.places[index] || line.to !== line.end(index))) {
                if (!line.away) say("another part than its frame is seen");
            }
            if (name === "zoomToOne" && !line.one) say("no single frame");
            if (!(head >= line.places[index] && head <= line.end(index))) say("another frame");
            if (!(line.end(index) - line.places[index] >= 250)) say("a frame that nobody hits");
            if (!(line.end(index) - line.places[index] <= 8000)) say("a wait that was not cut");
            // What is under a finger comes back from where it is drawn.
            const place = line.at(line.share(head));
            if (Math.abs(place - head) > 1e-6 * line.length) say("another place");
        }
    }
    return [...wrong];
}"""
_LINE = """const { Timeline } = await import("/static/js/timeline.js");
    // Three at once, a long wait, two seconds, and the last one.
    const line = new Timeline([0, 0, 0, 1e6, 1e6 + 2000], ["a", "a", "b", "c", "d"]);"""
_PLACES = f"""async () => {{ {_LINE} return [...line.places, line.length]; }}"""
_PLAYS = f"""async () => {{ {_LINE}
    const found = [];
    const passed = (...some) => some.forEach((milliseconds) => {{
        line.pass(milliseconds);
        found.push([line.index, line.plays]);
    }});
    line.play();
    found.push([line.index, line.plays]);
    passed(1, 7998, 1, 2000);
    line.play();
    line.pace = 4;
    passed(1999, 2, 499);
    return found;
}}"""
_PARTS = f"""async () => {{ {_LINE}
    const found = [];
    for (const by of [1, 1, 1, 1, -1, -1, -1, -1]) {{
        line.part(by);
        found.push(line.index);
    }}
    line.part(1);
    found.push(line.index);
    line.seek(line.places[1]);
    line.part(-1);
    found.push(line.index);
    return found;
}}"""
#: A round of one entry is a line too.
_ALONE = """async () => {
    const { Timeline } = await import("/static/js/timeline.js");
    const line = new Timeline([5], ["a"]);
    line.step(1);
    line.part(-1);
    line.play();
    line.pass(10);
    return [[line.index, line.from, line.to], line.plays];
}"""

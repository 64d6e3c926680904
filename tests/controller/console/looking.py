"""What a browser says of a page as it is drawn: what axe finds, and of controls name and place."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Page

#: The sizes that pages are made for: a dealer's screen, a tablet, a telephone.
SIZES = ((1024, 600), (1280, 800), (390, 844))
#: Whatever is touched is no smaller, in pixels.
TOUCH = 48
GRAVE = ("serious", "critical")
#: Whatever is found by what it is called: its name is there, and nobody else's.
NAMED = ("button", "link", "textbox", "checkbox", "switch", "tab", "combobox", "spinbutton")
#: A line of a browser's tree of what is read aloud: a role, and a name if there is one.
_NAMED = re.compile(rf"^\s*- '?({'|'.join(NAMED)})\b(?: \"((?:[^\"\\]|\\.)*)\")?", re.MULTILINE)

_CONTROLS = "button, a[href], select, input, textarea, [role=tab], [role=button]"
#: Controls as they can be touched: what a scrolled box hides is not there.
_MEASURE = """([controls, touch]) => {
  const shown = (one) => {
    // What is ticked is touched by its words too.
    const whole_of = one.type === "checkbox" ? (one.closest("label") ?? one) : one;
    let {left, top, right, bottom} = whole_of.getBoundingClientRect();
    const whole = {width: right - left, height: bottom - top};
    for (let up = one.parentElement; up !== null; up = up.parentElement) {
      const {overflowX, overflowY} = getComputedStyle(up);
      const box = up.getBoundingClientRect();
      if (overflowX !== "visible" && up !== document.documentElement && up !== document.body) {
        left = Math.max(left, box.left); right = Math.min(right, box.right);
      }
      if (overflowY !== "visible" && up !== document.documentElement && up !== document.body) {
        top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
      }
    }
    return {left, top, right, bottom, ...whole};
  };
  const called = (one) => `${one.tagName.toLowerCase()} "${one.ariaLabel ?? one.innerText.trim()}"`;
  const found = [...document.querySelectorAll(controls)]
    .filter((one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .map((one) => ({one, called: called(one), ...shown(one)}));
  const seen = found.filter(({left, top, right, bottom}) => right - left > 1 && bottom - top > 1);
  const least = touch - 0.5;
  const small = found.filter(({width, height}) => width < least || height < least);
  const over = [];
  for (const [index, a] of seen.entries()) {
    for (const b of seen.slice(index + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1 && !a.one.contains(b.one) && !b.one.contains(a.one)) {
        over.push(`${a.called} and ${b.called}`);
      }
    }
  }
  const wide = document.scrollingElement.scrollWidth - innerWidth;
  return {
    controls: seen.length,
    small: small.map((one) => `${one.called}: ${Math.round(one.width)}x${Math.round(one.height)}`),
    over,
    wide,
  };
}"""


@cache
def axe_source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


async def grave_findings(page: Page, *rules: str) -> list[str]:
    """What axe calls serious or critical, of all of its rules or of these."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(axe_source())
    only: dict[str, Any] = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    given = {"resultTypes": ["violations"], **only}
    found = await page.evaluate("(given) => axe.run(document, given)", given)
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


async def badly_laid(page: Page) -> tuple[int, list[str]]:
    """How many controls can be touched, and what is wrong with how they lie."""
    found = await page.evaluate(_MEASURE, [_CONTROLS, TOUCH])
    wrong = [f"smaller than {TOUCH}: {one}" for one in found["small"]]
    wrong += [f"one over another: {one}" for one in found["over"]]
    if found["wide"] > 0:
        wrong.append(f"{found['wide']} pixels wider than the screen")
    return found["controls"], wrong


async def badly_named(page: Page) -> list[str]:
    """Controls that have no name, or the same as another of their kind."""
    found = Counter(_NAMED.findall(await page.locator("body").aria_snapshot()))
    wrong = [f"a {role} has no name" for role, name in found if not name.strip()]
    return wrong + [
        f'{many} times {role} "{name}"' for (role, name), many in found.items() if many > 1
    ]


async def badly_made(page: Page) -> tuple[int, list[str]]:
    """How many controls can be touched, and all that is wrong: in every size, light and dark."""
    wrong: list[str] = []
    for theme in ("dark", "light"):
        await page.emulate_media(color_scheme=theme)
        # In the light it is the same page, and other colours.
        rules = () if theme == "dark" else ("color-contrast",)
        wrong += [f"{theme}: {one}" for one in await grave_findings(page, *rules)]
    before = page.viewport_size
    assert before is not None
    least: list[int] = []
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        controls, some = await badly_laid(page)
        least.append(controls)
        some += await badly_named(page)
        wrong += [f"{width}x{height}: {one}" for one in some]
    await page.set_viewport_size(before)
    return min(least), wrong

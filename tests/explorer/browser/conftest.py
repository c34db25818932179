"""The explorer in a browser: Debian's chromium, headless, on a page that `heddle explore` serves."""

import json
import os
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[3]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build/quick/bin/heddle"))
PICTURES = ROOT / "build/explorer"
PATIENCE = 300


class Page:
    """The page as a reader has it: opened, read, pointed at and typed into."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address

    def open(self, layouts, panel=None, asked=None, **options):
        """Opens the page on layouts by name, or one text; `asked` is what the panel was asked."""
        named = {"A": layouts} if isinstance(layouts, str) else layouts
        quote = lambda text: urllib.parse.quote(text, safe="")  # noqa: E731
        parts = [f"{quote(name)}={quote(text)}" for name, text in named.items()]
        if panel:
            parts.append(f".panel={panel}")
        if asked:
            options["panels"] = {panel: asked}
        if options:
            parts.append(f".options={quote(json.dumps(options))}")
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}#{'&'.join(parts)}")
        self.wait(lambda: self.all("#tabs button"))
        return self

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.wait(lambda: self.all(selector), selector)[0]

    def text(self, selector):
        """The text of the first element, hidden or not, as the DOM has it."""
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def wait(self, condition, what=""):
        try:
            return WebDriverWait(self.browser, PATIENCE, 0.02).until(lambda _: condition())
        except Exception as error:
            shown = f"{self.text('#said')} | {self.text('#panel')[:2000]}"
            raise AssertionError(f"waited in vain for {what or condition}: {shown}") from error

    def says(self, text, selector="#panel"):
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}")

    def press(self, text, within="body"):
        """Presses the button with the text."""
        script = """const found = [...document.querySelectorAll(arguments[0] + ' button')]
                      .find((button) => button.textContent.trim() === arguments[1]);
                    found?.scrollIntoView({block: 'center'});
                    return found;"""
        self.wait(lambda: self.script(script, within, text), f"a button {text!r}").click()

    def set(self, label, value):
        """Gives the field with the label a value, as typing and leaving it does."""
        script = """const field = [...document.querySelectorAll('#panel label')]
                      .find((one) => one.textContent.startsWith(arguments[0]));
                    const control = field?.querySelector('input, textarea, select');
                    if (!control) return false;
                    control.value = arguments[1];
                    for (const type of ['input', 'change'])
                      control.dispatchEvent(new Event(type, {bubbles: true}));
                    return true;"""
        self.wait(lambda: self.script(script, label, value), f"the field {label!r}")

    def type(self, text):
        """Types into the box at the head of the page."""
        self.one("#input textarea").send_keys(Keys.CONTROL, "a", Keys.NULL, text)

    def fragment(self):
        return urllib.parse.unquote(self.script("return location.hash"))

    def drawn(self, number=0):
        """The model of a picture of the page: its texts, place by place."""
        script = """const stage = document.querySelectorAll('#views .stage')[arguments[0]];
                    const {arranged} = stage?.view?.geometry() ?? {};
                    return arranged ? arranged.places.map(({panel}) => panel.cells.text) : null"""
        return self.wait(lambda: self.script(script, number), f"picture {number}")

    def cell(self, row, column, number=0):
        """The middle of a cell of a picture's first panel, from the corner of its canvas."""
        script = """const {arranged, offset} =
                      document.querySelectorAll('#views .stage')[arguments[2]].view.geometry();
                    const place = arranged.places[0];
                    return [offset.x + place.x + (arguments[1] + 0.5) * place.cell.width,
                            offset.y + place.y + (arguments[0] + 0.5) * place.cell.height]"""
        self.drawn(number)
        return self.script(script, row, column, number)

    def point(self, row, column, number=0, click=False):
        """Moves the pointer over a cell, and presses there."""
        x, y = self.cell(row, column, number)
        script = """const canvas = document.querySelectorAll('#views canvas.light')[arguments[0]];
                    const at = canvas.getBoundingClientRect();
                    const where = {bubbles: true, clientX: at.left + arguments[1],
                      clientY: at.top + arguments[2], pointerId: 1, pointerType: 'mouse',
                      isPrimary: true, button: 0};
                    const types = arguments[3]
                      ? ['pointermove', 'pointerdown', 'pointerup', 'click'] : ['pointermove'];
                    for (const type of types)
                      canvas.dispatchEvent(type === 'click' ? new MouseEvent(type, where)
                                                            : new PointerEvent(type, where));"""
        self.script("document.querySelector('#views').scrollIntoView()")
        self.script(script, number, x, y, click)

    def milliseconds(self, act, condition, what):
        """How long it takes from the act until the condition holds, as seen from outside."""
        begin = time.monotonic()
        act()
        self.wait(condition, what)
        return (time.monotonic() - begin) * 1000

    def save(self, name):
        """A picture of the whole page for people, in build/explorer."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        height = self.script("return Math.min(document.documentElement.scrollHeight, 4000)")
        width = self.script("return innerWidth")
        size = {"width": width, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", size | {"height": max(height, 800)}
        )
        self.browser.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200)))"
        )
        self.browser.save_screenshot(str(PICTURES / f"{name}.png"))
        self.resize(width)

    def resize(self, width, height=1000):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.fixture(scope="session")
def address():
    """The address that `heddle explore` prints; the server ends with the tests."""
    server = subprocess.Popen(
        [HEDDLE, "explore", "--no-browser"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        for line in server.stdout:
            if "http://" in line:
                yield "http://" + line.split("http://")[1].split()[0]
                break
        else:
            pytest.fail("heddle explore printed no address")
    finally:
        server.terminate()
        server.wait(PATIENCE)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{argument}")
    downloads = tmp_path_factory.mktemp("downloads")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.downloads = downloads
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, address):
    """The page, 1400 pixels wide; a test in which the console says an error has failed."""
    shown = Page(browser, address)
    shown.resize(1400)
    browser.get_log("browser")
    yield shown
    said = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert said == []

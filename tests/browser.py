"""A headless Chromium for the pages that truegrade writes: opens files, counts requests, keeps the console.

The fixture `browser` (conftest.py) gives a fresh tab per test. Nothing is downloaded: the browser and its driver are
those on the PATH.
"""

from __future__ import annotations

import base64
import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 60  # for everything that waits: the machine may be busy
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # root in a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-color-profile=srgb",
    "--window-size=1280,900",
)
_LOCAL = ("file:", "data:", "blob:", "about:")


def missing() -> str | None:
    """What is lacking on this machine, in words; None when a browser can be started."""
    if _chromium() is None:
        return "no chromium, chromium-browser or google-chrome on the PATH"
    if shutil.which("chromedriver") is None:
        return "no chromedriver on the PATH"
    return None


def _chromium() -> str | None:
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


@contextmanager
def started(profile: Path) -> Iterator[Browser]:
    """A running browser with its profile in a folder; it and its sockets are gone afterwards."""
    options = Options()
    options.binary_location = str(_chromium())
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(executable_path=shutil.which("chromedriver"))
    with _without_selenium_warnings():
        driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(SECONDS)
    driver.set_script_timeout(SECONDS)
    try:
        yield Browser(driver)
    finally:
        with _without_selenium_warnings():
            driver.quit()


@contextmanager
def _without_selenium_warnings() -> Iterator[None]:
    """Starting and stopping only: what selenium leaves open or calls out of date there is not ours to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


class Browser:
    """One tab that a test drives. `driver` is selenium's own, for what has no helper here."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self._console: list[dict[str, Any]] = []
        self._requests: list[str] = []
        self._features: dict[str, str] = {}

    # --- the tab

    def fresh(self) -> None:
        """A new offline tab of 1280 x 900 in the light scheme; the old tabs and their records are gone."""
        old = self.driver.window_handles
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        for handle in old:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(new)
        self._collect()
        self._console, self._requests = [], []
        self.cdp("Network.enable")
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.cdp("Network.emulateNetworkConditions", **offline)
        self.size(1280, 900)
        self._features = {"prefers-reduced-motion": "reduce", "prefers-color-scheme": "light"}
        self._media("screen")

    def cdp(self, command: str, **parameters: Any) -> dict[str, Any]:
        """One command of the browser's own protocol, to this tab."""
        return dict(self.driver.execute_cdp_cmd(command, parameters) or {})

    def open(self, path: Path | str, fragment: str = "") -> None:
        """Open a file of this machine; returns when it has loaded. `fragment` comes behind the #."""
        url = Path(path).resolve().as_uri() + (f"#{fragment}" if fragment else "")
        self.driver.get("about:blank")  # else a new fragment of the open page would not load it anew
        self.driver.get(url)
        self.wait("document.readyState === 'complete'")

    def size(self, width: int, height: int) -> None:
        """The size of the window in CSS pixels; below 600 it is a phone (the viewport tag counts)."""
        mobile = width < 600
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def dark(self, on: bool = True) -> None:
        """Ask for the dark (or the light) colour scheme."""
        self._features["prefers-color-scheme"] = "dark" if on else "light"
        self._media("screen")

    def print_media(self, on: bool = True) -> None:
        """Show the page as it would be printed."""
        self._media("print" if on else "screen")

    def scripting(self, on: bool) -> None:
        """Let scripts run or not, from the next `open`. `js` and `wait` still work."""
        self.cdp("Emulation.setScriptExecutionDisabled", value=not on)

    def _media(self, media: str) -> None:
        features = [{"name": name, "value": value} for name, value in self._features.items()]
        self.cdp("Emulation.setEmulatedMedia", media=media, features=features)

    # --- what happened

    def _collect(self) -> None:
        self._console += self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        for entry in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self._requests.append(message["params"]["request"]["url"])
            elif message["method"] in ("Network.webSocketCreated", "Network.webTransportCreated"):
                self._requests.append(message["params"]["url"])

    def console(self) -> list[str]:
        """Every message in the console since the tab was opened, errors included."""
        self._collect()
        return [f"{entry['level']}: {entry['message']}" for entry in self._console]

    def console_errors(self) -> list[str]:
        """Uncaught errors, console.error and what a content policy refused. Should be empty."""
        return [message for message in self.console() if message.startswith("SEVERE")]

    def requests(self) -> list[str]:
        """Addresses asked for that are neither file:, data:, blob: nor about:. Should be empty."""
        self._collect()
        return [url for url in self._requests if not url.startswith(_LOCAL)]

    def files(self) -> list[str]:
        """file: addresses asked for: a self-contained page is exactly one."""
        self._collect()
        return [url for url in self._requests if url.startswith("file:")]

    # --- looking and acting

    def js(self, expression: str, *arguments: Any) -> Any:
        """Value of a JavaScript expression; `arguments` are arguments[0], arguments[1] ... in it."""
        return self.driver.execute_script(f"return ({expression});", *arguments)

    def wait(self, expression: str, *arguments: Any) -> Any:
        """Wait until a JavaScript expression is true and return its value; TimeoutException after a minute."""
        wait = WebDriverWait(self.driver, SECONDS, poll_frequency=0.05)
        return wait.until(lambda _: self.js(expression, *arguments), f"never true: {expression}")

    def find(self, css: str) -> WebElement:
        """The first element of a CSS selector; NoSuchElementException when there is none."""
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css: str) -> list[WebElement]:
        """All elements of a CSS selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css: str) -> str:
        """The visible text of the first element of a CSS selector."""
        return self.find(css).text

    def click(self, css: str) -> None:
        """Bring an element into view and click it."""
        element = self.find(css)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def hover(self, css: str, x: int = 0, y: int = 0) -> None:
        """Move the pointer onto an element, x and y pixels from its centre."""
        element = self.find(css)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver, duration=0).move_to_element_with_offset(element, x, y).perform()

    def press(self, *keys: str) -> None:
        """Press keys where the focus is: browser.press(Keys.TAB, "a"). `Browser.keys` has their names."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    keys = Keys

    def slide(self, css: str, value: float) -> None:
        """Set a slider or field and say so, as a dragging hand does (events input and change)."""
        script = "for (const e of ['input', 'change']) arguments[0].dispatchEvent(new Event(e, {bubbles: true}));"
        self.driver.execute_script(f"arguments[0].value = arguments[1]; {script}", self.find(css), str(value))

    def focused(self) -> str:
        """The element with the focus: `tag#id`."""
        return str(self.js("document.activeElement.tagName.toLowerCase() + '#' + document.activeElement.id"))

    def too_wide(self) -> list[str]:
        """Elements that make the whole page scroll sideways; empty when it does not."""
        script = """(() => {
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= width) return [];
            return [...document.body.querySelectorAll('*')]
                .filter(e => e.getBoundingClientRect().right > width + 0.5)
                .map(e => e.tagName.toLowerCase() + '#' + e.id + '.' + e.getAttribute('class'))
                .concat(['page of ' + document.documentElement.scrollWidth + ' px']);
        })()"""
        return list(self.js(script))

    def screenshot(self, path: Path | str, whole: bool = True) -> Path:
        """A PNG of the whole page (or of what the window shows)."""
        options: dict[str, Any] = {"format": "png"}
        if whole:
            area = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": area["width"], "height": area["height"], "scale": 1}
            options |= {"captureBeyondViewport": True, "clip": clip}
        Path(path).write_bytes(base64.b64decode(self.cdp("Page.captureScreenshot", **options)["data"]))
        return Path(path)

    def pdf(self, path: Path | str) -> Path:
        """The page as printed on A4 paper."""
        inches = {"paperWidth": 8.27, "paperHeight": 11.69}
        Path(path).write_bytes(base64.b64decode(self.cdp("Page.printToPDF", printBackground=True, **inches)["data"]))
        return Path(path)

"""Take the pictures of docs/: the demo's report, the playground and an audit of the demo digits, in headless Chromium.

    python scripts/take_pictures.py        # needs chromium and chromedriver on the path, and the development install
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from truegrade.demo import load_demo

DOCS = Path(__file__).parents[1] / "docs"
WIDTH = 1100
DIGITS = "digits.npy"  # written into the folder of the pages
# file, the command that writes the page, the element to begin at and the height in pixels
PICTURES = (
    ("report.png", ["demo", "--html"], "main", 1215),
    ("report_samples.png", ["demo", "--html"], "#samples", 1250),
    ("playground.png", ["playground", "--html"], "body", 1120),
    ("audit.png", ["audit", DIGITS, "--quick", "--html"], "main", 1400),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / DIGITS, load_demo()["train"])
        driver = _driver(folder)
        try:
            for name, command, element, height in PICTURES:
                page = Path(folder) / f"{command[0]}.html"
                if not page.exists():
                    truegrade = [sys.executable, "-m", "truegrade", *command, str(page)]
                    subprocess.run(truegrade, check=True, stdout=subprocess.DEVNULL, cwd=folder)
                driver.get(page.as_uri())
                DOCS.joinpath(name).write_bytes(_picture(driver, element, height))
        finally:
            driver.quit()


def _driver(folder: str) -> webdriver.Chrome:
    browser, service = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or service is None:
        raise SystemExit("chromium and chromedriver are needed to take pictures.")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(service))
    size = {"width": WIDTH, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return driver


def _picture(driver: webdriver.Chrome, element: str, height: int) -> bytes:
    top = driver.execute_script(
        "return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY", element
    )
    clip = {"x": 0, "y": max(0, top - 16), "width": WIDTH, "height": height, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()

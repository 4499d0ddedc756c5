// Ways in beside the password alone: an authenticator app, and an OpenID Connect provider.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { expect } from "./expect.mjs";
import { journey, OWNER } from "./harness.mjs";
import { startOidcProvider } from "./oidcProvider.mjs";

test("an authenticator app is set up, asked for at the sign-in, and turned off with a recovery code", () =>
  journey({ expected: [/401/, /403/] }, async ({ page }) => {
    await page.goto("/settings");
    await page.getByRole("button", { name: "Set up authenticator app" }).click();
    const setup = page.getByRole("dialog", { name: "Set up authenticator app" });
    await setup.getByLabel("Current password").fill(OWNER.password);
    await setup.getByRole("button", { name: "Continue" }).click();
    await expect(setup.getByRole("img", { name: /^QR code/ })).toBeVisible();
    const secret = (await setup.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).innerText()).replaceAll(
      " ",
      "",
    );
    await setup.getByLabel(/^Code/).fill("000000");
    await setup.getByRole("button", { name: "Turn on" }).click();
    await expect(setup.getByText("The code is wrong")).toBeVisible();
    await setup.getByLabel(/^Code/).fill(totp(secret, 0));
    await setup.getByRole("button", { name: "Turn on" }).click();
    const saved = page.getByRole("dialog", { name: "Save your recovery codes" });
    await saved.getByRole("listitem").first().waitFor();
    const codes = await saved.getByRole("listitem").allInnerTexts();
    assert.equal(codes.length, 10);
    await saved.getByRole("button", { name: "I have saved them" }).click();
    const section = page.getByRole("region", { name: "Two-factor authentication" });
    await expect(section.getByText("On", { exact: true })).toBeVisible();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/signin");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill(OWNER.email);
    await page.getByLabel(/^Password/).fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("input[autocomplete=one-time-code]:focus").waitFor();
    await page.keyboard.type("123456");
    await page.keyboard.press("Enter");
    await expect(page.getByText("The code is wrong or was already used")).toBeVisible();
    await page.getByLabel(/^Code/).fill(totp(secret, 1));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/workflows");

    await page.goto("/settings");
    await section.getByRole("button", { name: "Turn off" }).click();
    const off = page.getByRole("dialog", { name: "Turn off two-factor authentication" });
    await off.getByLabel("Current password").fill(OWNER.password);
    await off.getByLabel(/^Code/).fill(codes[0]);
    await off.getByRole("button", { name: "Turn off" }).click();
    await expect(section.getByRole("button", { name: "Set up authenticator app" })).toBeVisible();
  }));

test("somebody signs in with a provider: known by a verified address, new, or refused", async () => {
  const provider = await startOidcProvider();
  const options = { settings: provider.settings, elsewhere: [provider.host], expected: [/401/] };
  try {
    await journey(options, async ({ page, base }) => {
      provider.registerAt(base);
      await page.goto("/settings");
      const section = page.getByRole("region", { name: "Sign-in with Example ID" });
      await section.getByRole("button", { name: "Connect" }).click();
      const dialog = page.getByRole("dialog", { name: "Connect Example ID" });
      await dialog.getByLabel("Current password").fill(OWNER.password);
      await dialog.getByRole("button", { name: "Continue to Example ID" }).click();
      await page.getByRole("link", { name: "ada" }).click();
      await expect(section.getByText("Connected", { exact: true })).toBeVisible();

      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL("**/signin");
      await page.goto("/executions");
      const signIn = page.getByRole("link", { name: "Sign in with Example ID" });
      await signIn.click();
      await page.waitForURL("**/executions");

      await page.goto("/settings");
      await section.getByRole("button", { name: "Disconnect" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
      await expect(section.getByRole("button", { name: "Connect" })).toBeVisible();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL("**/signin");
      await page.context().clearCookies({ name: /^_session/ });
      await signIn.click();
      await page.getByRole("link", { name: "mallory" }).click();
      await expect(page.getByText("Example ID has not verified your email address")).toBeVisible();

      await page.context().clearCookies({ name: /^_session/ });
      await signIn.click();
      await page.getByRole("link", { name: "grace" }).click();
      await page.waitForURL("**/workflows");
      await page.goto("/settings");
      await expect(page.getByText("grace@example.com · Viewer")).toBeVisible();
    });
  } finally {
    await provider.stop();
  }
});

/** What an authenticator app shows now, or so many steps later. */
function totp(secret, later) {
  const bits = [...secret].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g);
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const hash = createHmac("sha1", key).update(step).digest();
  const number = hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

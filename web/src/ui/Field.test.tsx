/** When a field says what is wrong with it. */
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Field, Input } from "./Input";
import { FormSubmitted } from "./useSubmit";

const show = (isSubmitted: boolean, said: { hint?: string; error?: string; problem?: string }) =>
  renderToStaticMarkup(
    <FormSubmitted value={isSubmitted}>
      <Field label="Name" {...said}>
        <Input />
      </Field>
    </FormSubmitted>,
  );

describe("a field of a form", () => {
  it("says its problem only once the form has been sent", () => {
    const fresh = show(false, { hint: "As you like", problem: "Enter a name." });
    expect(fresh).toContain("As you like");
    expect(fresh).not.toContain("Enter a name.");
    const sent = show(true, { hint: "As you like", problem: "Enter a name." });
    expect(sent).toMatch(/role="alert">Enter a name\./);
    expect(sent).not.toContain("As you like");
  });

  it("says an error at once", () => {
    expect(show(false, { error: "Invalid address." })).toMatch(/role="alert">Invalid address\./);
  });
});

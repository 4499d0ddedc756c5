// Hands the token of the link and the chosen password to the server. The token never goes into an address that is sent or kept.
(() => {
  const form = document.getElementById("form");
  const told = document.getElementById("told");
  const button = form.querySelector("button");
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);

  const tell = (text, kind) => {
    told.textContent = text;
    told.className = kind;
  };

  const addLink = (text) => {
    const link = document.createElement("a");
    link.href = "/";
    link.textContent = text;
    told.append(link);
  };

  if (!token) {
    tell("This link is not complete. Open it as it was given to you.", "bad");
    button.disabled = true;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { password, again, firstName, lastName } = Object.fromEntries(new FormData(form));
    if (password !== again) {
      tell("The two passwords differ.", "bad");
      return;
    }
    button.disabled = true;
    tell("", "");
    try {
      const reply = await fetch("/api/invitation", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token, password, firstName, lastName }),
      });
      if (reply.status === 204) {
        form.remove();
        tell("Your password is set. Sign in with it and with your authenticator app. ", "good");
        addLink("Sign in");
        return;
      }
      if (reply.ok) {
        const { email } = await reply.json();
        form.remove();
        tell(`You are signed in as ${email}. `, "good");
        addLink("Go on");
        return;
      }
      const { message } = await reply.json();
      tell(`${message}.`, "bad");
    } catch {
      tell("The server cannot be reached. Try again in a moment.", "bad");
    }
    button.disabled = false;
  });
})();

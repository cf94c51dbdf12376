/** Asks for the read token where the service wants one. */
import { type FormEvent, useId, useState } from "react";
import { setToken, useToken } from "../state/token.ts";

export function TokenForm() {
  const id = useId();
  const [text, setText] = useState("");
  const refused = useToken() !== null;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() !== "") setToken(text.trim());
  }
  return (
    <form className="failure token-form" onSubmit={submit}>
      <p className="failure-title">
        {refused ? "This token is not the read token" : "This service asks for its read token"}
      </p>
      <p>
        It is what <code>MULLIGAN_READ_TOKEN</code> holds where the service runs. It stays in this tab and goes nowhere
        but to this service.
      </p>
      <label htmlFor={id}>Read token</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit">Use it</button>
    </form>
  );
}

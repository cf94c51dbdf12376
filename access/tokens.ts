/** Bearer tokens: what a request must carry where one is set. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";

/** Shorter ones can be guessed. */
const MIN_TOKEN_CHARACTERS = 16;

/** A token, or an address, that was set in a way that would leave the door open. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}

/** @throws {AccessError} that names the variable; the token itself is never repeated. */
export function checkToken(token: string, variable: string): void {
  if (token.length < MIN_TOKEN_CHARACTERS) {
    throw new AccessError(
      `${variable} has ${token.length} characters and needs at least ${MIN_TOKEN_CHARACTERS}. Make one with: openssl rand -hex 32`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new AccessError(
      `${variable} may hold only printable ASCII characters without spaces, as it travels in a header. Make one with: openssl rand -hex 32`,
    );
  }
}

/**
 * Lets requests through that carry `Authorization: Bearer <token>`; answers 401 to any other.
 *
 * @param variable - The variable that holds the token, for the text that a person reads.
 * @throws {AccessError} where the token is too short.
 */
export function requireToken(token: string, variable: string): MiddlewareHandler {
  checkToken(token, variable);
  const wanted = digest(token);
  return async function requireBearerToken(context, next) {
    const sent = /^Bearer +([\x21-\x7e]+) *$/i.exec(context.req.header("authorization") ?? "")?.[1];
    // Of equal length by hashing, so that the comparison's time says nothing about the token.
    if (sent !== undefined && timingSafeEqual(digest(sent), wanted)) return next();
    const message = `Send the header "Authorization: Bearer <token>" with the token of ${variable}${sent === undefined ? "; there was none" : "; it was another one"}.`;
    return context.json({ code: 16, message }, 401, {
      "www-authenticate": sent === undefined ? "Bearer" : 'Bearer error="invalid_token"',
    });
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

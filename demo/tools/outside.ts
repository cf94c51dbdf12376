/** Tools that reach outside: a carrier whose service fails at times, pages of which some hosts are denied, and a search. */
import { z } from "zod";
import { ALLOWED_HOSTS } from "../shop.ts";
import { parcelMeant } from "./mends.ts";
import { defineTool } from "./tool.ts";

const HOUR = 60 * 60 * 1000;

/** The carrier did not do what it was asked; the same call may work later. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
}

/** Who has no time left to wait for an answer. `name` is the one by which such errors are known everywhere. */
export class UpstreamTimeout extends Error {
  override readonly name = "TimeoutError";
}

export class DeniedError extends Error {
  override readonly name = "DeniedError";
  readonly rule = "egress_allowlist";
}

/** Share of calls that the carrier fails: few, but most of them from 9 to 12 o'clock (UTC) on every third day. */
function failing(now: number): number {
  const hour = new Date(now).getUTCHours();
  const isDown = Math.floor(now / (24 * HOUR)) % 3 === 0 && hour >= 9 && hour < 12;
  return isDown ? 0.7 : 0.14;
}

export const trackParcel = defineTool("track_parcel", {
  description: "Asks the carrier where a parcel is.",
  version: "1",
  risk: { mutates: false, external: true },
  schema: z.strictObject({ parcel_id: z.string().regex(/^pcl_\d{6}$/) }),
  example: { parcel_id: "pcl_482913" },
  mends: { parcel_id: parcelMeant },
  async run({ parcel_id }, { time, random }) {
    if (random.chance(failing(time.now()))) {
      const timesOut = random.chance(0.4);
      await time.sleep(timesOut ? 3_000 : random.whole(40, 300));
      throw timesOut ? new UpstreamTimeout("timed out after 3 s") : new UpstreamError("503 Service Unavailable");
    }
    await time.sleep(random.whole(120, 900));
    return { result: { parcel_id, place: random.pick(["in transit", "at the depot", "delivered"]) } };
  },
});

export const fetchPage = defineTool("fetch_page", {
  description: "Reads a page.",
  version: "1",
  risk: { mutates: false, external: true },
  schema: z.strictObject({ url: z.url() }),
  example: { url: `https://${ALLOWED_HOSTS[0]}/returns` },
  async run({ url }, { time, random }) {
    if (!ALLOWED_HOSTS.includes(new URL(url).hostname)) throw new DeniedError("403 denied by egress policy");
    await time.sleep(random.whole(100, 700));
    return { result: { url, characters: random.whole(900, 9_000) } };
  },
});

/** Nobody gave it a schema, or said what it does to the world. */
export const searchHelp = defineTool("search_help", {
  description: "Searches the help pages.",
  version: "1",
  example: { query: "returns" },
  async run(_args, { time, random }) {
    await time.sleep(random.whole(40, 200));
    return { result: { found: random.whole(1, 8) } };
  },
});

/** A look at the first bytes of a JSON file: which keys stand where. Tolerates a head that is cut off anywhere. */

const MAX_PATH_DEPTH = 6;
/** Keys whose values tell formats apart; those values are words of a protocol. */
const TELLING = new Set(["type", "role", "dir", "object"]);
const WORD = /^[A-Za-z_.-]{1,40}$/;

/**
 * Key paths of the head's values, such as `messages[].role`, and for telling keys the value too: `messages[].role=user`.
 * Leading `[]` of the file's own array are left out, so that an array of runs and JSON Lines of runs look alike.
 */
export function keyPaths(head: string): Set<string> {
  const paths = new Set<string>();
  /** One entry per open container: the path of what it holds, and whether a string in it is a key. */
  const open: { object: boolean; path: string; key: string; expectsKey: boolean }[] = [];
  const add = (path: string) => paths.add(path.replace(/^(?:\[\])+\.?/, ""));

  for (let at = 0; at < head.length; at += 1) {
    const character = head[at]!;
    const top = open.at(-1);
    if (character === '"') {
      const end = endOfString(head, at + 1);
      if (end === -1) break;
      const text = head.slice(at + 1, end);
      at = end;
      if (!top?.object) continue;
      if (top.expectsKey) {
        top.key = top.path === "" ? text : `${top.path}.${text}`;
        top.expectsKey = false;
        if (open.length <= MAX_PATH_DEPTH) add(top.key);
      } else if (TELLING.has(top.key.split(".").at(-1)!) && WORD.test(text)) add(`${top.key}=${text}`);
    } else if (character === "{" || character === "[") {
      const path = top === undefined ? "" : top.object ? top.key : `${top.path}`;
      open.push({ object: character === "{", path: character === "[" ? `${path}[]` : path, key: "", expectsKey: true });
    } else if (character === "}" || character === "]") {
      open.pop();
    } else if (character === "," && top !== undefined) {
      top.expectsKey = true;
    }
  }
  return paths;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

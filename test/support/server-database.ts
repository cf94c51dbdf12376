/** Databases of a test's own on a server that others may use too: made, used, dropped, nothing else touched. */
import { Client } from "pg";

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const NAME = /^mulligan_test_[a-z0-9_]+$/;

function checked(name: string): string {
  if (!NAME.test(name)) throw new Error(`a test database is named mulligan_test_…, and "${name}" is not`);
  return name;
}

/** Makes a database, a copy of `template` if one is given, and returns its address. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  const from = template === undefined ? "template0" : checked(template);
  await administer(serverUrl, `create database ${checked(name)} template ${from} encoding 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `drop database if exists ${checked(name)} with (force)`);
}

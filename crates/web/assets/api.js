// The description of the API, made readable.

import { call, el, find, sentence } from "./dom.js";

const description = await call("/api/openapi.json").catch((error) => {
  find("problem").replaceChildren(el("p", { class: "problem" }, sentence(error.message)));
  return null;
});

/** A schema in a few words. */
function kind(schema, deep = 0) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const type = [schema.type].flat().join(" or ");
  if (schema.type === "array") return deep > 2 ? "array" : `array of ${kind(schema.items, deep + 1)}`;
  return type || "anything";
}

const rows = (pairs) => el("dl", {}, pairs.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));

const fields = (schema) => Object.entries(schema.properties ?? {}).map(([name, field]) =>
  [name, `${kind(field)}${field.description ? `: ${field.description}` : ""}`]);

function operation(path, method, given, shared) {
  const parameters = [...shared, ...(given.parameters ?? [])];
  const body = given.requestBody?.content ?? {};
  const responses = Object.entries(given.responses).map(([status, response]) => {
    const [content] = Object.values(response.content ?? {});
    return [status, `${response.description}${content ? ` (${kind(content.schema)})` : ""}`];
  });
  return el("section", { class: "op" },
    el("h2", {}, el("span", {}, method), path),
    el("p", {}, given.description ?? given.summary),
    parameters.length > 0 ? [el("h3", {}, "Parameters"), rows(parameters.map((parameter) => [parameter.name, `${kind(parameter.schema)}: ${parameter.description}`]))] : "",
    Object.entries(body).map(([type, content]) => [el("h3", {}, `Body: ${type}`), content.schema?.properties ? rows(fields(content.schema)) : ""]),
    el("h3", {}, "Answers"), rows(responses));
}

if (description) {
  const origin = location.origin;
  find("about").replaceChildren(
    ...description.info.description.split("\n\n").map((text) => el("p", {}, text)),
    el("p", {}, "The same for programs: ", el("a", { href: "/api/openapi.json" }, "openapi.json"), "."),
    el("pre", { tabindex: 0, "aria-label": "Example" }, el("code", {}, [
      `curl -c cookies -X POST --data-binary @people.csv '${origin}/api/tables?name=people.csv'`,
      `curl -b cookies -H 'Content-Type: application/json' -d '{"question": "how many rows are there?"}' ${origin}/api/tables/ID/ask`,
    ].join("\n"))));
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([method]) => method !== "parameters").map(([method, given]) => operation(path, method, given, methods.parameters ?? [])));
  const schemas = Object.entries(description.components.schemas).map(([name, schema]) =>
    el("section", { class: "op", id: name }, el("h2", {}, name), el("p", {}, schema.description ?? ""), rows(fields(schema))));
  find("operations").replaceChildren(...operations, el("h2", { class: "page-title" }, "Objects"), ...schemas);
}

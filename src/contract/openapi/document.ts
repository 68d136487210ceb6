/** The OpenAPI 3.1 document, made from what the routes say about themselves. */
import { answersOf } from './answers.ts';
import type { Description, Json } from './description.ts';
import { failuresOf, type ProblemOf, problemExamples } from './failures.ts';
import { answerHeaders } from './header-list.ts';
import { info, securityOf, securitySchemes } from './info.ts';
import { parametersOf, requestBodyOf } from './request.ts';
import { createSchemas, type Schemas } from './schemas.ts';
import { type Operation, type Paths, shareResponses } from './share-responses.ts';
import { tagList } from './tags.ts';

export type Facts = {
  readonly version: string;
  /** Where the service is reached. */
  readonly server: string;
  /** The name of a status, such as "Not Found". */
  readonly reasonOf: (status: string) => string;
  /** An example of a failure. */
  readonly problemOf: ProblemOf;
};

/** Route by route, as all of it takes 0.2 s: what else the process does goes on between two of them. */
export const openapi = async (routes: readonly Description[], facts: Facts): Promise<Json> => {
  const written = createSchemas();
  const described = await pathsOf(routes, facts, written);
  const { paths, responses } = shareResponses(described, facts.reasonOf);
  const document = {
    openapi: '3.1.0',
    info: info(facts),
    servers: [{ url: facts.server }],
    tags: tagList(new Set(routes.map(({ tag }) => tag))),
    paths,
  };
  return written.finish(document, {
    responses,
    headers: answerHeaders,
    examples: problemExamples(routes, facts.problemOf),
    securitySchemes,
  });
};

const pathsOf = async (
  routes: readonly Description[],
  facts: Facts,
  schemas: Schemas,
): Promise<Paths> => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, facts, schemas) };
    await new Promise((resolve) => setImmediate(resolve));
  }
  return paths;
};

const operationOf = (route: Description, { problemOf }: Facts, schemas: Schemas): Operation => {
  const { operationId, tag, summary, description, body, method, path } = route;
  if (!operationId || !tag)
    throw new Error(`expected an operationId and a tag in the route ${method} ${path}`);
  return {
    tags: [tag],
    summary,
    ...(description && { description }),
    operationId,
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(body && { requestBody: requestBodyOf(route, body, schemas) }),
    responses: { ...answersOf(route, schemas), ...failuresOf(route, problemOf, schemas) },
  };
};

/** Descriptions of web APIs, which the server reads: their operations, and the request that one of them becomes. */
import { api } from "./client";
import type { ApiDescription, DescribedRequest } from "./generated";

export type { ApiDescription, DescribedOperation, DescribedRequest } from "./generated";

/** What a description is read from. */
export type DescriptionSource = { document: string } | { url: string };

export interface RequestWanted {
  operation: string;
  /** The parameters of the node that is replaced. */
  values: Record<string, unknown>;
  credential?: string;
  isTool: boolean;
}

export function readApiDescription(source: DescriptionSource): Promise<ApiDescription> {
  return api.post<ApiDescription>("/api-descriptions", source);
}

/** The parameters of the node that makes the request. */
export async function describeRequest(
  source: DescriptionSource,
  wanted: RequestWanted,
): Promise<DescribedRequest> {
  const read = await api.post<ApiDescription>("/api-descriptions", { ...source, ...wanted });
  if (!read.request) throw new Error("The operation could not be read.");
  return read.request;
}

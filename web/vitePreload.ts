// Lets the page name the files that the editor starts with, so that the browser fetches them before the first script has run.
import type { Plugin } from "vite";

export function preloadFirstFiles(module: string, font: RegExp): Plugin {
  return {
    name: "preload-first-files",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const first = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)));
        if (!first) throw new Error(`No file has ${module} in it.`);
        const link = (attrs: Record<string, string>, file: string) => ({
          tag: "link",
          attrs: { ...attrs, crossorigin: true, href: `/${file}` },
          injectTo: "head" as const,
        });
        return [
          ...[...(first.viteMetadata?.importedCss ?? [])].map((file) =>
            link({ rel: "stylesheet" }, file),
          ),
          ...[first.fileName, ...first.imports].map((file) => link({ rel: "modulepreload" }, file)),
          ...Object.keys(bundle)
            .filter((file) => font.test(file))
            .map((file) => link({ rel: "preload", as: "font", type: "font/woff2" }, file)),
        ];
      },
    },
  };
}

/** A chart of days, drawn by uPlot in the colours of the theme. It is a part of its own, so that only this page loads the library. */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { getTheme, onThemeChange } from "../../theme/theme";
import styles from "./Insights.module.css";

export interface ChartSeries {
  label: string;
  /** The name of a colour in the tokens, such as `--good`. */
  colour: string;
  values: readonly number[];
}

interface Props {
  /** Said to those who do not see it. */
  label: string;
  days: readonly string[];
  /** Parts of a bar, the lowest first. */
  series: readonly ChartSeries[];
  format: (value: number) => string;
  height?: number;
}

export default function Chart({ label, days, series, format, height = 200 }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useSyncExternalStore(onThemeChange, getTheme);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes what the names of colours stand for.
  useEffect(() => {
    const element = place.current;
    if (!element || width === 0) return;
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const axis = {
      stroke: colour("--ink-3"),
      font: "11px Inter Variable, sans-serif",
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width,
        height,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { time: true, range: (_, least, most) => [least - 43_200, most + 43_200] },
          y: { range: (_, __, most) => [0, Math.max(most * 1.1, Number.MIN_VALUE) || 1] },
        },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_, ticks) => ticks.map(formatDay),
            space: 64,
            size: 28,
            incrs: [86_400, 172_800, 604_800, 1_209_600, 2_592_000],
          },
          {
            ...axis,
            grid: { stroke: colour("--line"), width: 1 },
            values: (_, ticks) => ticks.map(format),
            size: (_, ticks) => 20 + 6.5 * Math.max(3, ...(ticks ?? []).map((tick) => tick.length)),
          },
        ],
        series: [
          {},
          ...[...series].reverse().map((one) => ({
            label: one.label,
            fill: colour(one.colour),
            stroke: colour(one.colour),
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars?.({ size: [0.7, 26], radius: 0.12 }),
          })),
        ],
        plugins: [tooltipPlugin(days, series, format)],
      },
      [days.map((day) => Date.parse(day) / 1000), ...stacked(series)],
      element,
    );
    return () => chart.destroy();
  }, [width, height, theme, days, series, format]);
  return (
    <div ref={place} className={styles.chart} style={{ height }} role="img" aria-label={label} />
  );
}

/** The whole bar first, then what is left of it without its topmost part: each covers the lower end of the one before. */
function stacked(series: readonly ChartSeries[]): number[][] {
  return series.map((_, index) => {
    const parts = series.slice(0, series.length - index);
    return (series[0]?.values ?? []).map((__, at) =>
      parts.reduce((sum, part) => sum + (part.values[at] ?? 0), 0),
    );
  });
}

function formatDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString("en", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

/** Shows the figures of the day under the pointer. */
function tooltipPlugin(
  days: readonly string[],
  series: readonly ChartSeries[],
  format: (value: number) => string,
): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = styles.tip ?? "";
  box.hidden = true;
  return {
    hooks: {
      init: (chart) => chart.over.append(box),
      setCursor: (chart) => {
        const { idx, left } = chart.cursor;
        const day = typeof idx === "number" ? days[idx] : undefined;
        box.hidden = day === undefined || left === undefined || left < 0;
        if (day === undefined || left === undefined || typeof idx !== "number") return;
        const lines = [
          formatDay(Date.parse(day) / 1000),
          ...series.map((one) => `${one.label}: ${format(one.values[idx] ?? 0)}`),
        ];
        box.replaceChildren(
          ...lines.map((line) =>
            Object.assign(document.createElement("div"), { textContent: line }),
          ),
        );
        const over = left > chart.over.clientWidth / 2;
        box.style.left = over ? "" : `${left + 12}px`;
        box.style.right = over ? `${chart.over.clientWidth - left + 12}px` : "";
      },
    },
  };
}

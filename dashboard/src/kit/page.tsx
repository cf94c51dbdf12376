/** The frame of a page and of its sections. */
import { type ReactNode, useEffect, useId } from "react";

export interface PageProps {
  readonly title: string;
  /** What stands before the title, such as a tag. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** One per page: it holds the heading and names the tab. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = title === "Overview" ? "Mulligan" : `${title} · Mulligan`;
  }, [title]);
  return (
    <article className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {lead}
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </article>
  );
}

export interface SectionProps {
  readonly title: string;
  /** One sentence: what it counts, or in which order. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Section({ title, note, actions, className = "", children }: SectionProps) {
  const id = useId();
  return (
    <section className={`section ${className}`} aria-labelledby={id}>
      <header className="section-head">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <p className="note">{note}</p>}
        {actions === undefined ? null : <div className="section-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

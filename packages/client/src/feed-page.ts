// A page of documents or of changes, with its items as bytes or parsed, whichever is asked for.

import { isUtf8 } from 'node:buffer';
import { header } from '@tidemark/model';
import { elementsOfMember } from './json-spans.ts';
import type { RestResponse } from './transport.ts';

abstract class Page {
  protected readonly response: RestResponse;

  constructor(response: RestResponse) {
    this.response = response;
  }

  get charge(): number {
    return this.response.charge;
  }

  get sessionToken(): string | undefined {
    return this.response.header(header.sessionToken);
  }

  /** Of the body, as it came. */
  get sizeBytes(): number {
    return this.response.body.length;
  }

  /** The server's clock when it answered. */
  get serverTimeMs(): number | undefined {
    const timeMs = Date.parse(this.response.header(header.httpDate) ?? '');
    return Number.isNaN(timeMs) ? undefined : timeMs;
  }

  /** The items as the server wrote them, each a piece of the body. */
  itemBytes(): Buffer[] {
    return this.response.body.length === 0 ? [] : elementsOfMember(this.response.body, 'Documents');
  }

  /** False when some item is damaged on its way or in its store: then `items` would show what nobody has written. */
  get isText(): boolean {
    return isUtf8(this.response.body);
  }

  items(): unknown[] {
    if (this.response.body.length === 0) return [];
    const { Documents }: { Documents?: unknown } = Object(this.response.json());
    return Array.isArray(Documents) ? Documents : [];
  }
}

export class DocumentPage extends Page {
  /** Undefined at the end. */
  get continuation(): string | undefined {
    return this.response.header(header.continuation);
  }
}

export class ChangePage extends Page {
  /** Where to go on, also after a page without changes. */
  readonly etag: string;

  constructor(response: RestResponse, etag: string) {
    super(response);
    this.etag = etag;
  }

  /** Nothing was left to read at that moment. A page that is empty without it has looked at much and found nothing yet. */
  get isDrained(): boolean {
    return this.response.status === 304;
  }

  /** The range that served it, where it was one. */
  get rangeId(): string | undefined {
    return this.response.header(header.rangeId);
  }

  /** The server waited, or would have: a reader need not pause between its requests. */
  get isWaitApplied(): boolean {
    return this.response.header(header.preferenceApplied)?.includes('wait=') === true;
  }
}

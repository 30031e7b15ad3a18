/** Whether a host, as a URL or a flag writes it, is this machine itself and nobody else can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

int main(void) {
  volatile long n = 0; /* the hot line */
  while (n < 400000000) ++n;
  return 0;
}

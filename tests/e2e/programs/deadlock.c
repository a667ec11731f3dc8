// SPDX-License-Identifier: Apache-2.0
// Two threads that wait for the mutex that the other one holds, and main, which
// waits for one of them.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

__attribute__((noinline)) void take_second(void) {
  pthread_mutex_lock(&second);
  puts("never");
}
__attribute__((noinline)) void take_first(void) {
  pthread_mutex_lock(&first);
  puts("never");
}
static void *forwards(void *unused) {
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&both);
  take_second();
  return unused;
}
static void *backwards(void *unused) {
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&both);
  take_first();
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&a, NULL, forwards, NULL);
  pthread_create(&b, NULL, backwards, NULL);
  pthread_join(a, NULL);
  return 0;
}

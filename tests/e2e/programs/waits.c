// SPDX-License-Identifier: Apache-2.0
// Sleeps for 100 ms, waits for a lock, and prints how many milliseconds each took.
#include <pthread.h>
#include <stdio.h>
#include <time.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
__attribute__((noinline)) void nap(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, 0);
}
void* holder(void* unused) {
  pthread_mutex_lock(&lock);
  nap(500);
  pthread_mutex_unlock(&lock);
  return unused;
}
__attribute__((noinline)) void waiter() {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, holder, 0);
  const double begin = now();
  nap(100);
  const double middle = now();
  waiter();
  printf("nap %f\nwaiter %f\n", middle - begin, now() - middle);
  pthread_join(thread, 0);
}

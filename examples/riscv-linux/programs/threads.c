// SPDX-License-Identifier: Apache-2.0
// Two threads that hand a number back and forth 50 times: each waits in the
// kernel for the other.
#include <pthread.h>

#define KEEP __attribute__((noipa))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

KEEP int work(int n) {
  int sum = 0;
  for (int i = 0; i < 200; ++i) sum += i * n;
  return sum;
}

KEEP void take_turns(int mine) {
  volatile int sum = 0;
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&mutex);
    while (turn != mine) pthread_cond_wait(&changed, &mutex);
    sum += work(i);
    turn = 1 - mine;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
}

static void* ping(void* nothing) {
  take_turns(0);
  return nothing;
}
static void* pong(void* nothing) {
  take_turns(1);
  return nothing;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, ping, 0);
  pthread_create(&two, 0, pong, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}

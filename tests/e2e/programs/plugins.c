// SPDX-License-Identifier: Apache-2.0
// Loads libraries and lets them go again, so that one takes another's place in
// memory.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

typedef unsigned long Plugin(unsigned long (*)(unsigned long), unsigned long);

__attribute__((noinline)) static unsigned long call_back(unsigned long n) {
  return spin(n * 1000);
}

__attribute__((noinline)) static void run_plugin(const char* file,
                                                 const char* name) {
  void* library = dlopen(file, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  Plugin* plugin = (Plugin*)dlsym(library, name);
  for (int i = 0; i < 20; i++) work_done += plugin(call_back, 20);
  dlclose(library);
}

int main(int argc, char** argv) {
  const double end = now_ms() + (argc > 1 ? atof(argv[1]) : 300);
  while (now_ms() < end) {
    run_plugin("./plugin_a.so", "plugin_a");
    run_plugin("./plugin_b.so", "plugin_b");
    run_plugin("./plugin_c.so", "plugin_c");
  }
}

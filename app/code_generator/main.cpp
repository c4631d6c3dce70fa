// tw-codegen: LLVM's code generation for the program that started it, over a socket.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "targets/shared/llvm/generator_server.h"

int main(int argc, char** argv) {
  if (argc != 3 || argv[1] != std::string_view("--fd")) {
    std::fputs("usage: tw-codegen --fd N   generate code for the process that holds the socket\n",
               stderr);
    return 2;
  }
  return tw::serve_generator(std::atoi(argv[2]));
}

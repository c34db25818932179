#include <iostream>

#include "heddle/command_line.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return static_cast<int>(heddle::app::flushed(heddle::app::run_command_line(argc, argv)));
}

// Every line that is not blank gets one answer of one line.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "heddle/notation/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream input(text);
  std::ostringstream output;
  heddle::notation::run_batch(input, output);

  const auto is_blank = [](std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
  };
  std::istringstream lines(text);
  std::ptrdiff_t questions = 0;
  for (std::string line; std::getline(lines, line);) questions += is_blank(line) ? 0 : 1;
  const std::string answers = output.str();
  if (std::count(answers.begin(), answers.end(), '\n') != questions) std::abort();
  return 0;
}

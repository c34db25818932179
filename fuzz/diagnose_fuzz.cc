// Any text is a log: it is explained or refused, and every finding has a place or says what is
// missing.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heddle/notation/diagnose.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view log(reinterpret_cast<const char*>(data), size);
  const Result<notation::Diagnosis> diagnosis = notation::diagnose(log);
  if (!diagnosis) {
    if (diagnosis.error().code() != "diagnose.no_assertion") std::abort();
    return 0;
  }
  if (diagnosis->findings.empty()) std::abort();
  for (const notation::Finding& finding : diagnosis->findings) {
    if (!finding.answer && finding.missing.empty()) std::abort();
  }
  if (to_string(*diagnosis).empty() || to_string(to_datum(*diagnosis)).empty()) std::abort();
  return 0;
}

#include "heddle/core/explanation.h"

namespace heddle {

MarkedText MarkedText::whole(std::string text, std::size_t part) {
  const std::size_t end = text.size();
  return {std::move(text), {{0, end, part}}};
}

MarkedText& MarkedText::operator+=(const MarkedText& more) {
  const std::size_t before = text.size();
  text += more.text;
  for (const Mark& mark : more.marks) {
    marks.push_back({before + mark.begin, before + mark.end, mark.part});
  }
  return *this;
}

}  // namespace heddle

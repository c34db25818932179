# The pages of docs/errors within the command: `heddle help CODE` shows what the page says.
#
# heddle_embed_error_pages(TARGET) adds a source file with their text, made anew whenever a page changes.

function(heddle_embed_error_pages target)
  file(GLOB pages CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/docs/errors/*.md")
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedErrorPages.cmake")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/generated/error_pages_text.cc")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} "-DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/docs/errors"
            "-DSOURCE=${source}" -P "${script}"
    DEPENDS ${pages} "${script}"
    COMMENT "Embedding docs/errors"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

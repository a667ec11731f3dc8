the project text
